using Poolscope.Collect.Live;
using Poolscope.Decode.Counters;
using Poolscope.Decode.Live;
using Xunit;

namespace Poolscope.Collect.Tests.Live;

public sealed class TargetReadingsTests : IDisposable
{
    private const long Second = 1_000_000_000;

    private readonly FakeRoot _root = new();

    [Fact]
    public void Rates_are_differences_and_unknown_at_first()
    {
        var readings = Readings(followed: true);
        Cpu(100, 50);
        var first = readings.State(WatchPhase.Watching, Sample(1, begun: 10), waitNs: 0, []);
        Assert.Equal((null, null, null), (first.Cores, first.BegunPerS, first.CompletedPerS));
        Assert.Equal(new CpuTime(1, 0.5), first.Cpu);

        Cpu(130, 70);
        var second = readings.State(WatchPhase.Watching, Sample(3, begun: 30), waitNs: 2 * Second, [Counters(2.5, queue: 4, completed: 8)]);
        Assert.Equal((0.25, 10.0, 16.0), (second.Cores, second.BegunPerS, second.CompletedPerS));
        Assert.Equal((2.0, 30L, 8L), (second.WaitS, second.Begun, second.Completed));
    }

    [Fact]
    public void Ended_items_add_up_and_a_second_without_a_reading_keeps_the_rate()
    {
        var readings = Readings(followed: true);
        _ = readings.State(WatchPhase.Watching, Sample(1), 0, [Counters(0.5, 0, 10), Counters(1, 0, 20)]);
        var state = readings.State(WatchPhase.Watching, Sample(2), 0, []);
        Assert.Equal((30L, 30.0), (state.Completed, state.CompletedPerS));
        Assert.Equal(Second + 1, readings.NextNs);
    }

    [Fact]
    public void The_queue_is_full_since_the_first_of_the_readings_without_a_break()
    {
        var readings = Readings(followed: true);
        Assert.Null(readings.State(WatchPhase.Watching, Sample(0), 0, []).QueuedS);
        Assert.Equal(0, readings.State(WatchPhase.Watching, Sample(1), 0, [Counters(1, 0, 0)]).QueuedS);
        _ = readings.State(WatchPhase.Watching, Sample(2), 0, [Counters(2, 5, 0)]);
        Assert.Equal(3, readings.State(WatchPhase.Watching, Sample(5), 0, [Counters(4.5, 5, 0)]).QueuedS);
        Assert.Equal(0, readings.State(WatchPhase.Watching, Sample(6), 0, [Counters(5.5, 0, 0)]).QueuedS);
    }

    [Fact]
    public void Without_an_event_for_each_item_waits_and_beginnings_are_not_known()
    {
        var readings = Readings(followed: false);
        _ = readings.State(WatchPhase.Observing, Sample(1), 0, []);
        var state = readings.State(WatchPhase.Observing, Sample(2), 0, []);
        Assert.Equal((null, null, null), (state.WaitS, state.Begun, state.BegunPerS));
        Assert.NotNull(state.Cores);
    }

    [Fact]
    public void What_was_not_told_is_not_known()
    {
        var state = Readings(followed: true).State(WatchPhase.Watching, new PoolSample(Second, 0, -1, -1, -1, -1, 0, 0), 0, []);
        Assert.Equal((null, null, null, null, null), (state.Queue, state.Threads, state.Goal, state.GoalReason, state.GoalAgeS));
    }

    [Fact]
    public void The_goal_has_its_reason_and_its_age()
    {
        var sample = new PoolSample(9 * Second, 0, 0, 6, 7, -1, 0, 0) { GoalReason = 6, GoalNs = 8 * Second, Starvations = 2 };
        var state = Readings(followed: true).State(WatchPhase.Watching, sample, 0, []);
        Assert.Equal((7, "Starvation", 1.0, 2L), (state.Goal, state.GoalReason, state.GoalAgeS, state.Starvations));
    }

    [Fact]
    public void Reasons_are_those_of_the_schema()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder!.FullName, "traces", "schema.json")))
        {
            folder = folder.Parent;
        }

        var schema = File.ReadAllText(Path.Combine(folder.FullName, "traces", "schema.json"));
        Assert.Contains($"[{string.Join(", ", GoalReasons.All.Select(reason => $"\"{reason}\""))}]", schema, StringComparison.Ordinal);
        Assert.All(GoalReasons.All, reason => Assert.NotEqual(reason, GoalReasons.Words(reason), StringComparer.Ordinal));
        Assert.Equal((null, "Warmup", null), (GoalReasons.Name(-1), GoalReasons.Name(0), GoalReasons.Name(9)));
    }

    public void Dispose() => _root.Dispose();

    private TargetReadings Readings(bool followed)
    {
        Cpu(0, 0);
        return new TargetReadings(_root.Proc, FakeRoot.Pid, "app", ".NET 10.0.12", followed);
    }

    private void Cpu(int user, int system) =>
        _root.Write($"/proc/{FakeRoot.Pid}/stat", $"{FakeRoot.Pid} (a ) b) S 1 2 3 4 5 6 7 8 9 10 {user} {system} 13 14 15 16 17 18 98765 20 21");

    private static PoolSample Sample(long seconds, long begun = 0) => new(seconds * Second, 0, 0, 6, -1, -1, 0, 0) { Begun = begun };

    private static CounterReading Counters(double seconds, long queue, long completed) =>
        new((long)(seconds * Second), (long)((seconds - 0.5) * Second), queue, completed, 6, 3, 0, 0);
}
