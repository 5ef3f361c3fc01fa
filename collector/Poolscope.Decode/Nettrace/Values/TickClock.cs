namespace Poolscope.Decode.Nettrace.Values;

/// <summary>Converts a stream's ticks to nanoseconds. On Linux, EventPipe ticks are already CLOCK_MONOTONIC ns;
/// elsewhere the frequency differs, and the stream's header holds it.</summary>
internal readonly struct TickClock
{
    private const long NanosecondFrequency = 1_000_000_000;

    private readonly long _frequency;

    public TickClock(long ticksPerSecond) => _frequency = ticksPerSecond;

    public long Nanoseconds(long ticks) => _frequency == NanosecondFrequency
        ? ticks
        : (long)((Int128)ticks * NanosecondFrequency / _frequency);
}
