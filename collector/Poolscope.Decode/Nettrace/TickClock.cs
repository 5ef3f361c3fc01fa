using Microsoft.Diagnostics.Tracing;

namespace Poolscope.Decode.Nettrace;

/// <summary>Turns a stream's ticks into nanoseconds. On Linux EventPipe ticks are CLOCK_MONOTONIC ns already; elsewhere
/// the frequency differs, and TraceEvent does not publish it.</summary>
internal readonly struct TickClock
{
    private const long NanosecondFrequency = 1_000_000_000;

    private readonly long _frequency;

    public TickClock(long ticksPerSecond) => _frequency = ticksPerSecond;

    /// <summary>Ticks per second, measured by TraceEvent's own conversion.</summary>
    /// <param name="near">Any tick of the stream.</param>
    public static TickClock Of(EventPipeEventSource source, long near)
    {
        // 1e10 ticks against DateTime's 100 ns leave an error of frequency^2 / 1e17: 10 Hz at 1 GHz, below 1 Hz
        // under 300 MHz. Real frequencies above that are round.
        const long span = 10_000_000_000;
        var seconds = (source.QPCTimeToTimeStamp(near + span) - source.QPCTimeToTimeStamp(near)).TotalSeconds;
        var frequency = span / seconds;
        return new TickClock(frequency > 200e6 ? (long)Math.Round(frequency / 100) * 100 : (long)Math.Round(frequency));
    }

    public long Nanoseconds(long ticks) => _frequency == NanosecondFrequency
        ? ticks
        : (long)((Int128)ticks * NanosecondFrequency / _frequency);
}
