using System.Diagnostics;
using Poolscope.Workloads.Pools;
using Poolscope.Workloads.Running;
using Xunit;

namespace Poolscope.Workloads.Tests;

/// <summary>A run on a pool under the tests' control, because xunit uses the runtime's own.</summary>
public sealed class RunningTests
{
    [Fact]
    public void Every_item_is_queued_once_in_order_and_recorded_whole()
    {
        using var run = new WorkloadRun(new RunSettings(50, 0, 0), new ThreadPerItem());

        run.QueueAll(_ => Thread.Sleep(1));

        var items = Enumerable.Range(0, 50).Select(i => run.Items[i]).ToList();
        Assert.All(items, t => Assert.True(t.EnqueueNs <= t.StartNs && t.StartNs < t.EndNs, t.ToString()));
        Assert.All(items, t => Assert.True(t.EnqueueThread > 0 && t.StartThread > 0 && t.StartThread == t.EndThread));
        Assert.Single(items.Select(t => t.EnqueueThread).Distinct());
        Assert.Equal(items.OrderBy(t => t.EnqueueNs), items);
    }

    [Fact]
    public void An_asynchronous_item_ends_when_its_task_does()
    {
        using var run = new WorkloadRun(new RunSettings(3, 0, 0), new ThreadPerItem());

        run.QueueAll(_ => Task.Delay(50));

        Assert.All(Enumerable.Range(0, 3), i => Assert.True(run.Items[i].EndNs - run.Items[i].StartNs > 40_000_000));
    }

    [Fact]
    public void Items_that_throw_are_counted_and_the_run_still_ends()
    {
        using var blocking = new WorkloadRun(new RunSettings(4, 0, 0), new ThreadPerItem());
        blocking.QueueAll(i => { if (i % 2 == 0) { throw new InvalidOperationException("odd"); } });
        using var asynchronous = new WorkloadRun(new RunSettings(4, 0, 0), new ThreadPerItem());
        asynchronous.QueueAll(_ => Task.FromException(new InvalidOperationException("odd")));

        Assert.Equal((2, "odd"), (blocking.Failures, blocking.FirstFailure?.Message));
        Assert.Equal((4, "odd"), (asynchronous.Failures, asynchronous.FirstFailure?.Message));
        Assert.All(Enumerable.Range(0, 4), i => Assert.True(blocking.Items[i].EndNs > 0));
    }

    [Fact]
    public void The_pace_is_kept_against_absolute_deadlines()
    {
        var interval = TimeSpan.FromMilliseconds(10);
        var calls = new List<TimeSpan>();
        var start = Stopwatch.GetTimestamp();
        Pacer.Run(30, interval, i =>
        {
            calls.Add(Stopwatch.GetElapsedTime(start));
            if (i == 10)
            {
                // Makes three calls late; later calls must catch up and not be late themselves.
                Thread.Sleep(35);
            }
        });

        Assert.Equal(30, calls.Count);
        Assert.All(calls.Select((at, i) => (at, i)), c => Assert.True(c.at >= c.i * interval, $"{c.i} came early"));
        var late = calls.Select((at, i) => at - (i * interval)).ToList();
        Assert.True(late[11] > TimeSpan.FromMilliseconds(20));
        Assert.True(late.Skip(20).Min() < TimeSpan.FromMilliseconds(5), $"drifts: {late[^1]}");
    }

    [Fact]
    public void Starts_are_printed_in_their_order_and_once()
    {
        using var run = new WorkloadRun(new RunSettings(5, 0, 0), new ThreadPerItem());
        using var output = new StringWriter();

        using (new StartLog(run.Items, output))
        {
            run.QueueAll(_ => { });
        }

        var lines = output.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(5, lines.Length);
        Assert.All(Enumerable.Range(0, 5), i => Assert.Single(lines, l => l.Contains($" item {i} ", StringComparison.Ordinal)));
    }

    [Fact]
    public void Percentiles_are_interpolated_as_NumPy_does()
    {
        // numpy.percentile([1, 2, 3, 4], [50, 99]) is [2.5, 3.97].
        var distribution = Distribution.Of([4, 1, 3, 2]);

        Assert.NotNull(distribution);
        Assert.Equal(2.5, distribution.Mean, 9);
        Assert.Equal(2.5, distribution.P50, 9);
        Assert.Equal(3.97, distribution.P99, 9);
        Assert.Equal(4, distribution.Max, 9);
        Assert.Null(Distribution.Of([]));
    }

    private sealed class ThreadPerItem : IPool
    {
        public string Name => "a thread for each item";

        public int ThreadCount => 0;

        public long CompletedItems => 0;

        public PoolLimits Limit(int? minThreads, int? maxThreads) => throw new NotSupportedException();

        public void Queue(Action<int> body, int item) => new Thread(() => body(item)).Start();

        public void QueueAsync(Func<int, Task> body, int item) => new Thread(() => _ = body(item)).Start();

        public IDisposable StartTimer(TimeSpan due, TimeSpan period, Action callback) => throw new NotSupportedException();

        public void Dispose()
        {
            // Its threads end with their items.
        }
    }
}
