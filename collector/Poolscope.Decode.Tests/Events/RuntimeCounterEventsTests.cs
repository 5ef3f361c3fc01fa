using System.Text;
using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Xunit;

namespace Poolscope.Decode.Tests.Events;

/// <summary>Counters in the runtime's format are read from bytes built field by field.</summary>
public sealed class RuntimeCounterEventsTests
{
    private static readonly Guid Provider = TraceEventProviders.GetEventSourceGuidFromName("System.Runtime");

    [Fact]
    public void A_counter_that_has_a_value_tells_its_mean()
    {
        var queue = Bytes("threadpool-queue-length", "ThreadPool Queue Length", 304.0, 0.0, 1, 304.0, 304.0, 0.5f, "Interval=500", "Mean", "", "");
        Assert.Equal("Counter 1000 threadpool-queue-length 304 0.5", Decoded(queue));

        // .NET Core 3.0 reports no unit.
        Assert.Equal("Counter 1000 cpu-usage 17 1", Decoded(Bytes("cpu-usage", "CPU Usage", 17.0, 0.0, 1, 17.0, 17.0, 1f, "Interval=1000", "Mean", "")));
    }

    [Fact]
    public void A_counter_that_counts_tells_its_increment()
    {
        var completed = Bytes("threadpool-completed-items-count", "ThreadPool Completed Work Item Count", "00:00:01", 86.0, 1f, "", "Interval=1000", "Sum", "");
        Assert.Equal("Counter 1000 threadpool-completed-items-count 86 1", Decoded(completed));
    }

    [Fact]
    public void Other_events_of_the_provider_and_numbers_that_no_counter_has_are_passed_over()
    {
        var whole = Bytes("threadpool-queue-length", "", 304.0, 0.0, 1, 304.0, 304.0, 0.5f, "Interval=500", "Mean", "", "");
        for (var length = 0; length < whole.Length; length++)
        {
            var told = Decoded(whole[..length]);
            Assert.True(told.Length == 0 || told == "Counter 1000 threadpool-queue-length 304 0.5", $"{length} bytes: {told}");
        }

        Assert.Empty(Decoded(Bytes("a message of the provider")));
        Assert.Empty(Decoded([.. whole, 1]));
        Assert.Empty(Decoded(Bytes("threadpool-queue-length", "", -1.0, 0.0, 1, 0.0, 0.0, 1f, "", "Mean", "", "")));
        Assert.Empty(Decoded(Bytes("threadpool-queue-length", "", double.NaN, 0.0, 1, 0.0, 0.0, 1f, "", "Mean", "", "")));
        Assert.Empty(Decoded(Bytes("threadpool-queue-length", "", 1.0, 0.0, 1, 0.0, 0.0, float.PositiveInfinity, "", "Mean", "", "")));
        Assert.Empty(Decoded(Bytes("threadpool-queue-length", "", 1.0, 0.0, 1, 0.0, 0.0, 1f, "", "Rate", "", "")));
    }

    private static string Decoded(byte[] payload)
    {
        var calls = new CallLog();
        new EventDecoder(calls).Decode(new RawEvent(Provider, 0, 1000, 7, 8, payload));
        return calls.ToString();
    }

    private static byte[] Bytes(params object[] fields) => [.. fields.SelectMany(field => field switch
    {
        string text => Encoding.Unicode.GetBytes(text + '\0'),
        double number => BitConverter.GetBytes(number),
        float number => BitConverter.GetBytes(number),
        int number => BitConverter.GetBytes(number),
        _ => throw new ArgumentException("a field of another type", nameof(fields)),
    })];
}
