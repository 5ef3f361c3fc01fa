namespace Poolscope.Etw.Reading;

/// <summary>Bounds the memory of a program that reads a trace. TraceEvent allocates what a damaged trace shows it to; with a
/// limit it meets its end by an OutOfMemoryException, which the reader shows as damage, and the machine goes on.</summary>
public static class TraceMemory
{
    /// <summary>Bytes for a trace of any size: TraceEvent's own tables, and ours.</summary>
    public const long Fixed = 1L << 30;

    /// <summary>Bytes per byte of the trace beyond that. Its events are a few dozen bytes each, and so are rows of tables.</summary>
    public const long PerByte = 16;

    /// <summary>Limits the heap of this process from now on, if that is less than it has now. For a program that reads one
    /// trace and ends.</summary>
    /// <param name="bytes">Size of the trace.</param>
    /// <returns>The limit, bytes; null: the machine has less anyway, or the runtime knows no such limit.</returns>
    public static long? Limit(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        var limit = bytes > (long.MaxValue - Fixed) / PerByte ? long.MaxValue : Fixed + (PerByte * bytes);
        return HeapLimit.Set(limit) ? limit : null;
    }
}
