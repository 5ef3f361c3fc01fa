namespace Poolscope.Etw.Reading;

/// <summary>Bounds the memory of a program that reads a trace. TraceEvent allocates as much as a damaged trace claims.
/// With a limit it throws OutOfMemoryException, which the reader reports as damage, and the machine stays
/// usable.</summary>
public static class TraceMemory
{
    /// <summary>Bytes for a trace of any size: the tables of TraceEvent and of Poolscope.</summary>
    public const long Fixed = 1L << 30;

    /// <summary>Additional bytes per byte of the trace. Its events take a few dozen bytes each, and so do rows of
    /// tables.</summary>
    public const long PerByte = 16;

    /// <summary>Limits the heap of this process from now on, if that is less than it has now. For a program that reads
    /// one trace and exits.</summary>
    /// <param name="bytes">Size of the trace, bytes.</param>
    /// <returns>The limit, bytes; null if the machine has less anyway or the runtime refuses the limit.</returns>
    public static long? Limit(long bytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(bytes);
        var limit = bytes > (long.MaxValue - Fixed) / PerByte ? long.MaxValue : Fixed + (PerByte * bytes);
        return HeapLimit.Set(limit) ? limit : null;
    }
}
