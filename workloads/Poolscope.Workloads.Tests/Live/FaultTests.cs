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
        // One core of the machine for either: the ratio then does not depend on how many there are.
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

    private static double Mean(Command.Result run) => run.Summary.GetProperty("start_latency_ms").GetProperty("mean").GetDouble();
}
