namespace Poolscope.Etw.Reading;

/// <summary>A limit of this process's heap. An allocation beyond it throws OutOfMemoryException before the kernel would
/// kill the process.</summary>
public static class HeapLimit
{
    private const string Setting = "GCHeapHardLimit";

    /// <summary>Limits the heap from now on. Does nothing if the runtime has less anyway, or has an external
    /// limit.</summary>
    /// <param name="bytes">The limit, bytes; above 0.</param>
    /// <returns>Whether the limit is in force.</returns>
    public static bool Set(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(bytes);
        if (bytes >= GC.GetGCMemoryInfo().TotalAvailableMemoryBytes)
        {
            return false;
        }

        try
        {
            AppContext.SetData(Setting, (ulong)bytes);
            GC.RefreshMemoryLimit();
            return true;
        }
        catch (InvalidOperationException)
        {
            return false; // more is in use already, or a limit was set externally
        }
    }
}
