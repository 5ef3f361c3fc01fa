using Poolscope.Workloads.Commands;
using Poolscope.Workloads.Truth;
using Xunit;

namespace Poolscope.Workloads.Tests.Live;

[Trait("live", "yes")]
[Trait("paired", "yes")]
[Collection(LiveCollection.Name)]
public sealed class RunTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-live");

    private string TruthPath => Path.Combine(_folder.FullName, TruthFile.Name);

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void A_capped_trickle_waits_and_its_truth_agrees_with_its_summary()
    {
        var run = Command.Run(null, "run", "trickle-v1", "--count", "30", "--work-ms", "100", "--min-threads", "2", "--max-threads", "2", "--json", "-v", "-o", TruthPath);

        Assert.Equal(ExitCode.Ok, run.Code);
        AssertWhole(30);
        var enqueue = NpzFile.Int64(TruthPath, "enqueue_ns");
        var start = NpzFile.Int64(TruthPath, "start_ns");
        var waits = start.Zip(enqueue, (s, e) => (s - e) / 1e6).ToList();
        var latency = run.Summary.GetProperty("start_latency_ms");
        Assert.Equal(30, run.Summary.GetProperty("count").GetInt32());
        Assert.Equal(waits.Average(), latency.GetProperty("mean").GetDouble(), 0.01);
        Assert.Equal(waits.Max(), latency.GetProperty("max").GetDouble(), 0.01);

        // 2 threads x 100 ms serve 20 of the 100 items that arrive each second. The last item is queued at 290 ms and
        // cannot start before 14 pairs have been served.
        Assert.True(waits.Max() > 1000, $"max wait {waits.Max()} ms");
        Assert.Equal(2, run.Summary.GetProperty("threads_at_end").GetInt32());
        Assert.Equal(2, NpzFile.Int32(TruthPath, "start_tid").Distinct().Count());
        Assert.True(enqueue[^1] - enqueue[0] > 285_000_000, "the pace was not kept");
        Assert.Equal(30, run.Error.Split('\n').Count(l => l.Contains(" started on thread ", StringComparison.Ordinal)));
    }

    [Fact]
    public void Blocking_items_are_the_only_items_of_the_pool()
    {
        var run = Command.Run(null, "run", "ticket", "--count", "8", "--work-ms", "50", "--json");

        // The pool counts an item after it has returned, so the last ones may still be missing.
        Assert.InRange(run.Summary.GetProperty("pool_items").GetInt64(), 1, 8);
        Assert.Equal(0, Command.Run(null, "run", "idle", "--work-ms", "100", "--json").Summary.GetProperty("pool_items").GetInt64());
    }

    [Theory]
    [InlineData("socket")]
    [InlineData("http-send")]
    [InlineData("http-result")]
    [InlineData("async")]
    public void The_ticket_waits_for_its_service_with_each_client(string client)
    {
        var run = Command.Run(null, "run", "ticket", "--client", client, "--count", "12", "--work-ms", "300", "--min-threads", "4", "--json", "-o", TruthPath);

        Assert.Equal((ExitCode.Ok, ""), (run.Code, run.Error));
        AssertWhole(12);
        var start = NpzFile.Int64(TruthPath, "start_ns");
        var lasted = NpzFile.Int64(TruthPath, "end_ns").Zip(start, (e, s) => (e - s) / 1e6).ToList();
        Assert.True(lasted.Min() >= 295, $"an answer came after {lasted.Min()} ms");

        // 12 items on 4 threads, which stay busy for 300 ms: only an async item frees its thread at once.
        var waits = start.Zip(NpzFile.Int64(TruthPath, "enqueue_ns"), (s, e) => (s - e) / 1e6).ToList();
        if (client == "socket")
        {
            Assert.True(waits.Max() > 300, $"max wait {waits.Max()} ms");
        }
        else if (client == "async")
        {
            // If items held their threads, eight of them would wait for 300 ms and more.
            Assert.True(waits.Order().ElementAt(6) < 150, $"waits {string.Join(' ', waits)} ms");
        }
    }

    [Fact]
    public void A_maximum_below_the_default_minimum_is_set_and_explained()
    {
        // With two processors the default minimum is 2, whatever the machine.
        var run = Command.Run(
            new Dictionary<string, string> { ["DOTNET_PROCESSOR_COUNT"] = "2" },
            "run", "trickle-v3", "--count", "20", "--work-ms", "100", "--json", "-o", TruthPath);

        Assert.Equal(ExitCode.Ok, run.Code);
        AssertWhole(20);
        var pool = run.Summary.GetProperty("pool");
        Assert.Equal((1, 1), (pool.GetProperty("min_threads").GetInt32(), pool.GetProperty("max_threads").GetInt32()));
        Assert.Contains("default minimum of 2 was lowered to 1", pool.GetProperty("note").GetString(), StringComparison.Ordinal);
        Assert.Equal(1, run.Summary.GetProperty("threads_at_end").GetInt32());

        // One thread serves 20 items that together await 2 s.
        Assert.True(run.Summary.GetProperty("elapsed_ms").GetDouble() < 1500);
    }

    [Theory]
    [InlineData("runtime")]
    [InlineData("fixed:4")]
    [InlineData("net11")]
    [InlineData("net35")]
    [InlineData("rotor")]
    [InlineData("instant")]
    public void An_experiment_runs_on_any_pool(string pool)
    {
        var run = Command.Run(null, "run", "batch-block-10", "--count", "20", "--work-ms", "30", "--pool", pool, "--json", "-o", TruthPath);

        Assert.Equal((ExitCode.Ok, ""), (run.Code, run.Error));
        AssertWhole(20);
        Assert.Equal(pool, run.Summary.GetProperty("pool_name").GetString());
        // The workload's own maximum of 10 does not apply to a fixed pool. A thread may come and find no item left.
        var threads = run.Summary.GetProperty("threads_at_end").GetInt32();
        Assert.InRange(threads, pool is "fixed:4" ? 4 : 1, pool is "fixed:4" ? 4 : 10);
        Assert.InRange(NpzFile.Int32(TruthPath, "start_tid").Distinct().Count(), 1, threads);
    }

    [Fact]
    public void An_item_s_continuations_come_back_to_the_reference_pool()
    {
        var run = Command.Run(null, "run", "trickle-v3", "--count", "20", "--work-ms", "50", "--pool", "net11", "--json", "-o", TruthPath);

        Assert.Equal((ExitCode.Ok, ""), (run.Code, run.Error));
        AssertWhole(20);
        Assert.Single(NpzFile.Int32(TruthPath, "start_tid").Concat(NpzFile.Int32(TruthPath, "end_tid")).Distinct());

        // One part before the wait and one after it.
        Assert.InRange(run.Summary.GetProperty("pool_items").GetInt64(), 39, 40);
    }

    [Fact]
    public void Limits_that_the_runtime_refuses_end_the_run_with_one_line()
    {
        // A forced maximum lets no program set another.
        var run = Command.Run(
            new Dictionary<string, string> { ["DOTNET_ThreadPool_ForceMaxWorkerThreads"] = "3" },
            "run", "batch-block-10", "--count", "4", "--work-ms", "1", "--min-threads", "5", "-o", TruthPath);

        Assert.Equal(ExitCode.Failed, run.Code);
        Assert.Single(run.Error.TrimEnd().Split('\n'));
        Assert.Contains("threads", run.Error, StringComparison.Ordinal);
        Assert.False(File.Exists(TruthPath));
    }

    [Fact]
    public void A_process_that_the_collector_started_leaves_its_truth_in_the_capture()
    {
        var run = Command.Run(
            new Dictionary<string, string> { [TruthFile.CaptureVariable] = _folder.FullName }, "run", "idle", "--work-ms", "10");

        Assert.Equal(ExitCode.Ok, run.Code);
        Assert.Empty(NpzFile.Int64(TruthPath, "id"));
    }

    /// <summary>Asserts that every item was queued, started and ended, in this order, each on a known thread.</summary>
    private void AssertWhole(int count)
    {
        var enqueue = NpzFile.Int64(TruthPath, "enqueue_ns");
        var start = NpzFile.Int64(TruthPath, "start_ns");
        var end = NpzFile.Int64(TruthPath, "end_ns");
        Assert.Equal(Enumerable.Range(0, count).Select(i => (long)i), NpzFile.Int64(TruthPath, "id"));
        for (var i = 0; i < count; i++)
        {
            Assert.True(enqueue[i] > 0 && enqueue[i] <= start[i] && start[i] <= end[i], $"item {i}: {enqueue[i]}, {start[i]}, {end[i]}");
        }

        foreach (var column in new[] { "enqueue_tid", "start_tid", "end_tid" })
        {
            var threads = NpzFile.Int32(TruthPath, column);
            Assert.Equal(count, threads.Length);
            Assert.All(threads, t => Assert.True(t > 0));
        }
    }
}
