namespace Poolscope.Etw.Reading;

/// <summary>A limit of this process's heap: what goes beyond it ends in an OutOfMemoryException, and not in a process that the
/// kernel kills.</summary>
public static class HeapLimit
{
    private const string Setting = "GCHeapHardLimit";

    /// <summary>Limits the heap from now on. Nothing changes if the runtime has less anyway, or has a limit from outside.</summary>
    /// <param name="bytes">Above 0.</param>
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
            return false; // more is in use already, or a limit was set from outside
        }
    }
}
