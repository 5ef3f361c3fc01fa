namespace Poolscope.Etw.Reading;

/// <summary>Converts the performance counter to nanoseconds. .NET's Stopwatch reads the same counter on Windows, so a
/// trace's events and the times that a program writes down share one clock. It starts at some moment of the
/// boot.</summary>
internal readonly struct QpcClock
{
    private const long NsPerSecond = 1_000_000_000;

    /// <summary>Ticks per second of every Windows since 10 1809.</summary>
    private const long UsualFrequency = 10_000_000;

    private readonly long _frequency;

    private QpcClock(long frequency) => _frequency = frequency;

    /// <summary>Returns the clock of two moments, each as ticks and as TraceEvent's milliseconds. These are doubles
    /// that keep far more digits than the frequency has. TraceEvent knows the frequency but does not publish
    /// it.</summary>
    public static QpcClock Between((long Ticks, double Ms) first, (long Ticks, double Ms) last)
    {
        var ms = last.Ms - first.Ms;
        return new QpcClock(ms > 0 ? (long)Math.Round((last.Ticks - first.Ticks) * 1e3 / ms) : UsualFrequency);
    }

    public long Nanoseconds(long ticks) =>
        _frequency == NsPerSecond ? ticks : (long)((Int128)ticks * NsPerSecond / _frequency);
}
