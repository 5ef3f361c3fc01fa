using System.Buffers.Binary;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Events;

/// <summary>Receives the counters of System.Runtime.</summary>
internal interface ICounterEvents
{
    /// <summary>A counter of System.Runtime was read.</summary>
    /// <param name="value">The value of the counter, or the increment of an incrementing counter.</param>
    /// <param name="seconds">Seconds since the previous reading.</param>
    void Counter(long time, string name, double value, double seconds);
}

/// <summary>Decodes counters of System.Runtime, which a trace holds if its recorder requested them
/// (EventCounterIntervalSec). Each counter is an event of its own, whose id differs between versions. So an event is a
/// counter only if all of its bytes have the layout of one.</summary>
internal static class RuntimeCounterEvents
{
    private const string HasValue = "Mean";
    private const string Counts = "Sum";

    // Beyond this, a file is damaged. No wanted counter is negative.
    private const double Greatest = 1e12;
    private const float LongestSeconds = 86_400;

    public static bool Decode(in RawEvent e, ICounterEvents sink)
    {
        if (Read(e.Payload) is not { } counter)
        {
            return false;
        }

        sink.Counter(e.Time, counter.Name, counter.Value, counter.Seconds);
        return true;
    }

    /// <summary>Reads a counter from its event.</summary>
    /// <returns>Null if the event is not a counter.</returns>
    public static RuntimeCounter? Read(ReadOnlySpan<byte> payload) => Value(payload) ?? Increment(payload);

    /// <summary>Reads a counter with a value: Name, DisplayName; Mean, StandardDeviation (f64), Count (i32), Min, Max
    /// (f64), IntervalSec (f32); Series, CounterType, Metadata, and from .NET Core 3.1 on DisplayUnits.</summary>
    private static RuntimeCounter? Value(ReadOnlySpan<byte> payload) =>
        Utf16.TryRead(payload, 0, out var name, out var next) && Utf16.TryRead(payload, next, out _, out next)
        && payload.Length - next is var rest && rest > (4 * sizeof(double)) + sizeof(int) + sizeof(float)
        && Texts(payload, next + (4 * sizeof(double)) + sizeof(int) + sizeof(float)) is [_, HasValue, _] or [_, HasValue, _, _]
            ? New(name, BinaryPrimitives.ReadDoubleLittleEndian(payload[next..]), payload[(next + (4 * sizeof(double)) + sizeof(int))..])
            : null;

    /// <summary>Reads an incrementing counter: Name, DisplayName, DisplayRateTimeScale; Increment (f64), IntervalSec
    /// (f32); Metadata, Series, CounterType, and from .NET Core 3.1 on DisplayUnits.</summary>
    private static RuntimeCounter? Increment(ReadOnlySpan<byte> payload) =>
        Utf16.TryRead(payload, 0, out var name, out var next) && Utf16.TryRead(payload, next, out _, out next) && Utf16.TryRead(payload, next, out _, out next)
        && payload.Length - next > sizeof(double) + sizeof(float)
        && Texts(payload, next + sizeof(double) + sizeof(float)) is [_, _, Counts] or [_, _, Counts, _]
            ? New(name, BinaryPrimitives.ReadDoubleLittleEndian(payload[next..]), payload[(next + sizeof(double))..])
            : null;

    /// <returns>Null if no counter has such numbers.</returns>
    private static RuntimeCounter? New(string name, double value, ReadOnlySpan<byte> interval) =>
        BinaryPrimitives.ReadSingleLittleEndian(interval) is var seconds && value is >= 0 and <= Greatest && seconds is >= 0 and <= LongestSeconds
            ? new RuntimeCounter(name, value, seconds)
            : null;

    /// <returns>Null if the rest does not consist of texts alone.</returns>
    private static List<string>? Texts(ReadOnlySpan<byte> payload, int offset)
    {
        var texts = new List<string>();
        while (offset < payload.Length)
        {
            if (!Utf16.TryRead(payload, offset, out var text, out offset))
            {
                return null;
            }

            texts.Add(text);
        }

        return texts;
    }
}

/// <summary>A counter as read from its event.</summary>
/// <param name="Value">The value of the counter, or the increment of an incrementing counter.</param>
/// <param name="Seconds">Seconds since the previous reading.</param>
internal sealed record RuntimeCounter(string Name, double Value, double Seconds);
