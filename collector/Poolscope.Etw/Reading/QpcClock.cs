namespace Poolscope.Etw.Reading;

/// <summary>Nanoseconds of the performance counter, which is what .NET's Stopwatch reads on Windows: every event of a
/// trace, and what a program wrote down by itself, are on this one clock. It starts at some moment of the boot.</summary>
internal readonly struct QpcClock
{
    private const long NsPerSecond = 1_000_000_000;

    /// <summary>Ticks per second of every Windows since 10 1809.</summary>
    private const long UsualFrequency = 10_000_000;

    private readonly long _frequency;

    private QpcClock(long frequency) => _frequency = frequency;

    /// <summary>From two moments, each as ticks and as TraceEvent's milliseconds, which are doubles that keep far more
    /// digits than the frequency has. TraceEvent knows it, and does not publish it.</summary>
    public static QpcClock Between((long Ticks, double Ms) first, (long Ticks, double Ms) last)
    {
        var ms = last.Ms - first.Ms;
        return new QpcClock(ms > 0 ? (long)Math.Round((last.Ticks - first.Ticks) * 1e3 / ms) : UsualFrequency);
    }

    public long Nanoseconds(long ticks) =>
        _frequency == NsPerSecond ? ticks : (long)((Int128)ticks * NsPerSecond / _frequency);
}
