namespace Poolscope.Etl.Format;

/// <summary>Turns the time stamps of a file into nanoseconds since about the boot of its machine. Of the performance counter they
/// are those of .NET's Stopwatch, and so of what a program writes down by itself.</summary>
public sealed class EtlClock
{
    private const long NsPerSecond = 1_000_000_000;
    private const long NsPerFileTime = 100;
    private const long UsPerSecond = 1_000_000;

    // No session is open for longer, and none has an event that is much older than its first one: a circular file keeps its header.
    private const long LongestNs = 10L * 366 * 24 * 3600 * NsPerSecond;
    private const long EarliestNs = 3600 * NsPerSecond;

    private readonly long _perSecond;
    private readonly long _zero;
    private readonly long _firstNs;

    /// <param name="first">Time stamp of the file's first event.</param>
    public EtlClock(FileHeader header, long first)
    {
        ArgumentNullException.ThrowIfNull(header);
        (_perSecond, _zero) = header.Clock switch
        {
            EtlClockKind.SystemTime => (NsPerSecond / NsPerFileTime, header.BootTime),
            EtlClockKind.Cycles => (header.CpuMHz * UsPerSecond, 0L),
            _ => (header.PerfFreq, 0L),
        };
        IsKnown = _perSecond > 0;
        _perSecond = Math.Max(1, _perSecond);
        var ns = Exact(first);
        IsKnown &= ns >= 0 && ns < long.MaxValue - LongestNs;
        _firstNs = IsKnown ? (long)ns : 0;
    }

    /// <summary>False: the header gives no frequency, or no time that can be true.</summary>
    public bool IsKnown { get; }

    /// <summary>Nanoseconds of the file's first event.</summary>
    public long FirstNs => _firstNs;

    /// <returns>-1: no event of this file can have that time.</returns>
    public long Nanoseconds(long ticks)
    {
        var ns = Exact(ticks);
        return ns >= 0 && ns >= _firstNs - EarliestNs && ns <= _firstNs + LongestNs ? (long)ns : -1;
    }

    private Int128 Exact(long ticks)
    {
        var since = (Int128)ticks - _zero;
        return _perSecond == NsPerSecond / NsPerFileTime ? since * NsPerFileTime : since * NsPerSecond / _perSecond;
    }
}
