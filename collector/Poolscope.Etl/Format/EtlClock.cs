namespace Poolscope.Etl.Format;

/// <summary>Converts a file's time stamps to nanoseconds since about the boot of its machine. Readings of the
/// performance counter match .NET's Stopwatch, and so the times that a program logs itself.</summary>
public sealed class EtlClock
{
    private const long NsPerSecond = 1_000_000_000;
    private const long NsPerFileTime = 100;
    private const long UsPerSecond = 1_000_000;

    // No session stays open longer than the first limit. No event is older than the file's first one by more than the
    // second: a circular file keeps its header.
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

    /// <summary>False if the header gives no frequency, or an impossible time.</summary>
    public bool IsKnown { get; }

    /// <summary>Time of the file's first event, ns.</summary>
    public long FirstNs => _firstNs;

    /// <returns>Nanoseconds, or -1 if no event of this file can have that time.</returns>
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
