using Poolscope.Decode.Counters;
using Poolscope.Decode.Readings;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

public sealed class CountersTests
{
    [Fact]
    public void A_reading_is_a_row_and_a_line_that_was_cut_is_none()
    {
        var whole = new CounterReading(TimeNs: 2000, SinceNs: 1000, QueueLength: 500, Completed: 0, Threads: 9, Timers: 1, MethodsCompiled: 63, CompilingNs: 55);
        var unknown = new CounterReading(3000, 2000, 499, -1, -1, -1, -1, -1);
        var lines = new[] { CountersStream.Header, CountersStream.Line(whole), CountersStream.Line(unknown), "4000,3000,498" };

        var readings = lines.Select(CountersStream.Parse).OfType<CounterReading>().ToList();
        Assert.Equal([whole, unknown], readings);
        Assert.Equal(["2000 1000 500 0 9 1 63 55", "3000 2000 499 -1 -1 -1 -1 -1"], TableRows.Of(CountersStream.ToTable(readings)));
    }

    [Fact]
    public void Counters_that_came_together_are_one_reading()
    {
        var readings = new List<CounterReading>();
        var events = new CounterEvents(readings.Add);
        void Say(long time, string name, double value) => events.Add(time, name, value, seconds: 0.5);

        Say(1_000_000_001, "threadpool-thread-count", 9);
        Say(1_000_000_002, "cpu-usage", 17); // not wanted
        Say(1_000_000_003, "threadpool-queue-length", 491);
        Say(1_000_000_004, "threadpool-completed-items-count", 3);
        Say(1_000_000_005, "active-timer-count", 2);
        Say(1_000_000_006, "methods-jitted-count", 51);
        Assert.Empty(readings);
        Say(1_000_000_007, "time-in-jit", 9.75);
        Assert.Equal(new CounterReading(1_000_000_001, 500_000_001, 491, 3, 9, 2, 51, 9_750_000), Assert.Single(readings));

        // A counter that comes again before the others have: this runtime does not report them.
        Say(1_500_000_001, "threadpool-queue-length", 490);
        Say(2_000_000_001, "threadpool-queue-length", 489);
        Assert.Equal(new CounterReading(1_500_000_001, 1_000_000_001, 490, -1, -1, -1, -1, -1), readings[^1]);
    }
}
