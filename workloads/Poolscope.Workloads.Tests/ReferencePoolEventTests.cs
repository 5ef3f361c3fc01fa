using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;
using Poolscope.Workloads.Pools.Reference;
using Poolscope.Workloads.Pools.Reference.Growth;
using Xunit;

namespace Poolscope.Workloads.Tests;

/// <summary>The events of a reference pool, and when it writes them.</summary>
[CollectionDefinition(Group, DisableParallelization = true)]
[Collection(Group)]
public sealed class ReferencePoolEventTests
{
    /// <summary>A listener receives the events of every pool in the process, so no other test runs beside
    /// these.</summary>
    public const string Group = "reference pool events";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Fact]
    public void A_pool_tells_its_limits_threads_goal_and_items_as_the_runtime_does()
    {
        using var listener = new Listener();
        using (var pool = new ReferencePool("told", new Net11Policy(1)))
        {
            using var hold = new ManualResetEventSlim();
            using var left = new CountdownEvent(2);
            for (var i = 0; i < 2; i++)
            {
                pool.Queue(
                    _ =>
                    {
                        hold.Wait(Patience);
                        left.Signal();
                    },
                    i);
            }

            // The gate gives the second item a thread.
            Assert.True(SpinWait.SpinUntil(() => pool.ThreadCount == 2, Patience));
            hold.Set();
            Assert.True(left.Wait(Patience, TestContext.Current.CancellationToken));
            Assert.True(SpinWait.SpinUntil(() => listener.Count(57) == 2, Patience));
        }

        Assert.Equal(["1 told", "59 1 25 0 0"], listener.Told.Take(2));
        Assert.Equal(2, listener.Count(30));
        Assert.Equal(listener.Of(30), listener.Of(31));
        Assert.Equal(2, listener.Of(30).Distinct().Count());
        Assert.Equal(["0 2 6"], listener.Of(55));
        Assert.Equal((2, 2, 2), (listener.Count(50), listener.Count(57), listener.Count(51)));
        Assert.True(listener.IndexOf(30) < listener.IndexOf(50) && listener.IndexOf(50) < listener.IndexOf(31));
    }

    [Fact]
    public void A_session_that_begins_late_is_told_of_the_pool_and_its_goal()
    {
        using var pool = new ReferencePool("old", new Net11Policy(1));
        using var hold = new ManualResetEventSlim();
        using var running = new CountdownEvent(2);
        Action<int> item = _ =>
        {
            running.Signal();
            hold.Wait(Patience);
        };
        pool.Queue(item, 0);
        pool.Queue(item, 1);

        // It is not enough that the threads exist: one that is still starting would report it to the new session before
        // the pool does.
        Assert.True(running.Wait(Patience, TestContext.Current.CancellationToken));

        using var listener = new Listener();

        Assert.Equal(["1 old", "59 1 25 0 0", "55 0 2 1"], listener.Told.Take(3));
        hold.Set();
    }

    [Fact]
    public void A_timer_tells_when_it_starts_and_when_its_callback_runs()
    {
        using var listener = new Listener();
        using var pool = new ReferencePool("timed", new FixedPolicy(1));
        using var fired = new ManualResetEventSlim();
        using var timer = pool.StartTimer(TimeSpan.FromMilliseconds(7), Timeout.InfiniteTimeSpan, fired.Set);
        Assert.True(fired.Wait(Patience, TestContext.Current.CancellationToken));

        var id = Assert.Single(listener.Of(150)).Split(' ')[0];
        Assert.Equal($"{id} 1  False 7 -1", Assert.Single(listener.Of(150)));
        Assert.Equal($"{id} 1 ", Assert.Single(listener.Of(151)));
        Assert.True(listener.IndexOf(150) < listener.IndexOf(30) && listener.IndexOf(31) < listener.IndexOf(151));
    }

    /// <summary>Logs each event as its id and payload.</summary>
    private sealed class Listener : EventListener
    {
        private readonly ConcurrentQueue<string> _told = new();

        public List<string> Told => [.. _told];

        public List<string> Of(int id) =>
            [.. _told.Where(t => t.StartsWith($"{id} ", StringComparison.Ordinal)).Select(t => t[(t.IndexOf(' ', StringComparison.Ordinal) + 1)..])];

        public int Count(int id) => Of(id).Count;

        public int IndexOf(int id) => Told.FindIndex(t => t.StartsWith($"{id} ", StringComparison.Ordinal));

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Poolscope-ReferencePool")
            {
                EnableEvents(eventSource, EventLevel.Verbose, EventKeywords.All);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            var payload = eventData.Payload!.Select(p => Convert.ToString(p, CultureInfo.InvariantCulture));
            _told.Enqueue($"{eventData.EventId} {string.Join(' ', payload)}");
        }
    }
}
