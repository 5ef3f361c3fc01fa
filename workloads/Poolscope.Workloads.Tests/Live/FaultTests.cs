using Poolscope.Workloads.Commands;
using Xunit;

namespace Poolscope.Workloads.Tests.Live;

[Trait("live", "yes")]
[Collection(LiveCollection.Name)]
public sealed class FaultTests
{
    [Theory]
    [InlineData("lock")]
    [InlineData("monitor")]
    [InlineData("semaphore")]
    public void A_convoy_starts_at_once_and_ends_one_by_one(string guard)
    {
        var run = Command.Run(null, "run", "lock-convoy", "--guard", guard, "--count", "20", "--work-ms", "30", "--min-threads", "20", "--json");

        Assert.Equal((ExitCode.Ok, ""), (run.Code, run.Error));
        var elapsed = run.Summary.GetProperty("elapsed_ms").GetDouble();
        Assert.True(elapsed >= 20 * 30, $"20 items held one lock for 30 ms each, but all ended after {elapsed} ms");
        Assert.True(run.Summary.GetProperty("start_latency_ms").GetProperty("max").GetDouble() < elapsed / 2);
    }

    [Fact]
    public void A_neighbour_delays_items_that_the_cores_alone_would_serve()
    {
        string[] size = ["--count", "20", "--work-ms", "40", "--interval-ms", "40", "--min-threads", "2", "--max-threads", "2", "--json"];
        // The items need one core in both runs, so the ratio does not depend on the number of cores.
        var beside = Command.Run(null, ["run", "noisy-neighbour", .. size]);
        var alone = Command.Run(null, ["run", "spin", .. size]);

        Assert.Equal((ExitCode.Ok, ""), (beside.Code, beside.Error));
        Assert.True(Mean(beside) > 2 * Mean(alone), $"{Mean(beside)} ms beside the neighbour, {Mean(alone)} ms alone");
    }

    [Fact]
    public void A_quota_slows_the_run_or_is_refused_in_one_line()
    {
        var run = Command.Run(null, "run", "cgroup-throttled", "--count", "10", "--work-ms", "40", "--json");
        if (run.Code == ExitCode.Failed)
        {
            Assert.StartsWith("poolscope-workloads: cgroup-throttled needs root", run.Error, StringComparison.Ordinal);
            Assert.Single(run.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
            return;
        }

        Assert.Equal((ExitCode.Ok, ""), (run.Code, run.Error));
        // 400 ms of computing at half a core.
        Assert.True(run.Summary.GetProperty("elapsed_ms").GetDouble() > 500);
    }

    [Fact]
    public void Items_that_end_in_turn_leave_the_pool_as_small_as_it_was()
    {
        var run = Command.Run(null, "run", "steady-progress", "--count", "24", "--work-ms", "500", "--json");

        Assert.Equal((ExitCode.Ok, ""), (run.Code, run.Error));
        // 24 items of half a second on 4 threads. A pool that added a thread every half second would have ended by 2 s.
        Assert.True(run.Summary.GetProperty("elapsed_ms").GetDouble() > 2000);
        Assert.InRange(run.Summary.GetProperty("threads_at_end").GetInt32(), 4, 7);
    }

    [Fact]
    public void Short_items_wait_behind_spinners_although_the_cores_could_be_shared()
    {
        var run = Command.Run(null, "run", "spinner-and-short", "--json");

        Assert.Equal((ExitCode.Ok, ""), (run.Code, run.Error));
        Assert.True(run.Summary.GetProperty("start_latency_ms").GetProperty("p50").GetDouble() > 400);
    }

    [Fact]
    public void Full_collections_hold_up_a_batch()
    {
        var run = Command.Run(null, "run", "gc-pauses", "--count", "24", "--json");

        Assert.Equal((ExitCode.Ok, ""), (run.Code, run.Error));
        // Six of eight items wait for a suspension of about 150 ms.
        Assert.True(run.Summary.GetProperty("start_latency_ms").GetProperty("p50").GetDouble() > 50);
    }

    [Fact]
    public void A_crowd_is_runnable_for_longer_than_it_runs_and_ends_late()
    {
        // On many cores forty threads are no crowd.
        string[] size = ["--count", "40", "--work-ms", "40", "--json"];
        var crowd = Command.Run(null, ["run", "cashiers", "--min-threads", "40", .. size]);
        var few = Command.Run(null, ["run", "cashiers", "--min-threads", "2", "--max-threads", "2", .. size]);

        Assert.Equal((ExitCode.Ok, ""), (crowd.Code, crowd.Error));
        Assert.Equal((ExitCode.Ok, ""), (few.Code, few.Error));
        if (Environment.ProcessorCount <= 4)
        {
            Assert.True(Ready(crowd) > 3 * Ready(few), $"{Ready(crowd)} ms ready in a crowd, {Ready(few)} ms without");
        }

        static double Ready(Command.Result run) => run.Summary.GetProperty("figures").EnumerateArray()
            .Single(f => f.GetProperty("name").GetString() == "ready").GetProperty("value").GetDouble();
    }

    private static double Mean(Command.Result run) => run.Summary.GetProperty("start_latency_ms").GetProperty("mean").GetDouble();
}
