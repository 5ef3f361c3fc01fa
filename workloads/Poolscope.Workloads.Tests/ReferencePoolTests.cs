using System.Collections.Concurrent;
using System.Diagnostics;
using Poolscope.Workloads.Pools;
using Poolscope.Workloads.Pools.Reference;
using Poolscope.Workloads.Pools.Reference.Growth;
using Poolscope.Workloads.Running;
using Xunit;

namespace Poolscope.Workloads.Tests;

/// <summary>The pool with real threads. Times are bounds that hold however slow the machine is.</summary>
[Collection(ReferencePoolEventTests.Group)]
public sealed class ReferencePoolTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData("fixed:1")]
    [InlineData("fixed:8")]
    [InlineData("net11")]
    [InlineData("net35")]
    [InlineData("rotor")]
    [InlineData("instant")]
    public void Every_item_runs_once_whoever_queues_it(string name)
    {
        const int Queuers = 4;
        const int Each = 2503;
        using var pool = PoolChoice.Parse(name)!.Create();
        pool.Limit(null, name.StartsWith("fixed", StringComparison.Ordinal) ? null : 16);
        var runs = new int[Queuers * Each];
        using var left = new CountdownEvent(runs.Length);
        var queuers = Enumerable.Range(0, Queuers).Select(q => new Thread(() =>
        {
            for (var i = 0; i < Each; i++)
            {
                pool.Queue(
                    item =>
                    {
                        Interlocked.Increment(ref runs[item]);
                        left.Signal();
                    },
                    (q * Each) + i);
            }
        })).ToList();
        queuers.ForEach(q => q.Start());

        Assert.True(left.Wait(Patience, TestContext.Current.CancellationToken));
        Assert.All(runs, r => Assert.Equal(1, r));
        queuers.ForEach(q => q.Join());
        pool.Dispose();
        Assert.Equal(runs.Length, pool.CompletedItems);
        Assert.Equal(0, pool.ThreadCount);
    }

    [Fact]
    public void One_thread_runs_items_in_their_order()
    {
        using var pool = new ReferencePool("one", new FixedPolicy(1));
        var order = new List<int>();
        using var left = new CountdownEvent(1000);
        for (var i = 0; i < 1000; i++)
        {
            pool.Queue(
                item =>
                {
                    order.Add(item);
                    left.Signal();
                },
                i);
        }

        Assert.True(left.Wait(Patience, TestContext.Current.CancellationToken));
        Assert.Equal(Enumerable.Range(0, 1000), order);
    }

    [Fact]
    public void An_item_that_throws_ends_and_the_pool_lives_on()
    {
        using var pool = new ReferencePool("brittle", new FixedPolicy(1));
        using var ran = new ManualResetEventSlim();
        pool.Queue(_ => throw new InvalidOperationException("once"), 0);
        pool.QueueAsync(_ => throw new InvalidOperationException("twice"), 1);
        pool.Queue(_ => ran.Set(), 2);

        Assert.True(ran.Wait(Patience, TestContext.Current.CancellationToken));
        Assert.Equal(1, pool.FailedItems);
    }

    [Fact]
    public void Threads_are_named_after_the_pool_and_never_the_runtime_s()
    {
        using var pool = new ReferencePool("fixed:3", new FixedPolicy(3));
        using var meet = new Barrier(3);
        var names = new ConcurrentBag<string?>();
        using var left = new CountdownEvent(3);
        for (var i = 0; i < 3; i++)
        {
            pool.Queue(
                _ =>
                {
                    meet.SignalAndWait(Patience);
                    names.Add(Thread.CurrentThread.IsThreadPoolThread ? "the runtime's" : Thread.CurrentThread.Name);
                    left.Signal();
                },
                i);
        }

        Assert.True(left.Wait(Patience, TestContext.Current.CancellationToken));
        Assert.Equal(["fixed:3 #1", "fixed:3 #2", "fixed:3 #3"], names.Order());
    }

    [Fact]
    public void Idle_threads_end_after_their_timeout_but_for_those_that_are_kept()
    {
        using var pool = new ReferencePool("brief", new Brief(threads: 5, kept: 2));
        using var meet = new Barrier(6);
        for (var i = 0; i < 5; i++)
        {
            pool.Queue(_ => meet.SignalAndWait(Patience), i);
        }

        Assert.True(meet.SignalAndWait(Patience, TestContext.Current.CancellationToken));
        Assert.True(SpinWait.SpinUntil(() => pool.ThreadCount == 2, Patience), $"{pool.ThreadCount} threads are left");
        Thread.Sleep(4 * Brief.Timeout);
        Assert.Equal(2, pool.ThreadCount);
    }

    [Fact]
    public void Disposing_waits_for_what_runs_and_drops_what_is_queued()
    {
        var pool = new ReferencePool("ended", new FixedPolicy(2));
        using var started = new CountdownEvent(2);
        var (ended, later) = (0, 0);
        for (var i = 0; i < 2; i++)
        {
            pool.Queue(
                _ =>
                {
                    started.Signal();
                    Thread.Sleep(100);
                    Interlocked.Increment(ref ended);
                },
                i);
        }

        Assert.True(started.Wait(Patience, TestContext.Current.CancellationToken));
        pool.Queue(_ => later++, 2);
        pool.Dispose();

        Assert.Equal((2, 0, 0), (ended, later, pool.ThreadCount));
        Assert.Throws<ObjectDisposedException>(() => pool.Queue(_ => { }, 3));
    }

    [Fact]
    public void What_an_asynchronous_item_awaits_comes_back_to_its_pool()
    {
        using var pool = new ReferencePool("home", new FixedPolicy(2));
        var names = new ConcurrentBag<string?>();
        using var done = new ManualResetEventSlim();
        pool.QueueAsync(
            async _ =>
            {
                names.Add(Thread.CurrentThread.Name);
                await Task.Delay(20).ConfigureAwait(true);
                names.Add(Thread.CurrentThread.Name);
                await Task.Yield();
                names.Add(Thread.CurrentThread.Name);
                done.Set();
            },
            0);

        Assert.True(done.Wait(Patience, TestContext.Current.CancellationToken));
        Assert.Equal(3, names.Count);
        Assert.All(names, n => Assert.StartsWith("home #", n, StringComparison.Ordinal));
    }

    [Fact]
    public void A_due_timer_waits_for_a_thread_of_its_pool()
    {
        using var pool = new ReferencePool("busy", new FixedPolicy(1));
        using var fired = new ManualResetEventSlim();
        string? on = null;
        var clock = Stopwatch.StartNew();
        var late = TimeSpan.Zero;
        pool.Queue(_ => Thread.Sleep(300), 0);
        using var timer = pool.StartTimer(TimeSpan.FromMilliseconds(20), Timeout.InfiniteTimeSpan, () =>
        {
            (late, on) = (clock.Elapsed, Thread.CurrentThread.Name);
            fired.Set();
        });

        Assert.True(fired.Wait(Patience, TestContext.Current.CancellationToken));
        Assert.Equal("busy #1", on);
        Assert.True(late >= TimeSpan.FromMilliseconds(290), $"the callback ran after {late.TotalMilliseconds} ms");
    }

    [Fact]
    public void A_periodic_timer_runs_until_it_is_disposed_of()
    {
        using var pool = new ReferencePool("clock", new FixedPolicy(1));
        var calls = 0;
        using (pool.StartTimer(TimeSpan.Zero, TimeSpan.FromMilliseconds(5), () => Interlocked.Increment(ref calls)))
        {
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref calls) >= 5, Patience));
        }

        Thread.Sleep(50);
        var then = Volatile.Read(ref calls);
        Thread.Sleep(100);
        Assert.Equal(then, Volatile.Read(ref calls));
    }

    [Fact]
    public void Limits_hold_if_they_make_sense_and_come_before_the_first_item()
    {
        using var pool = new ReferencePool("net11", new Net11Policy(4));

        Assert.Equal(new PoolLimits(4, 100), pool.Limit(null, null));
        Assert.Equal(new PoolLimits(4, 9), pool.Limit(null, 9));
        var low = pool.Limit(null, 3);
        Assert.Equal((3, 3), (low.MinThreads, low.MaxThreads));
        Assert.Contains("default minimum of 4 was lowered to 3", low.Note, StringComparison.Ordinal);
        Assert.Contains("above the maximum", Refusal(pool, 5, null), StringComparison.Ordinal);
        pool.Queue(_ => { }, 0);
        Assert.Contains("its limits stay", Refusal(pool, 1, 1), StringComparison.Ordinal);
        using var three = new ReferencePool("fixed:3", new FixedPolicy(3));
        Assert.Equal(new PoolLimits(3, 3), three.Limit(3, 3));
        Assert.Contains("fixed:3 has 3 threads already", Refusal(three, null, 4), StringComparison.Ordinal);
    }

    [Fact]
    public void Queueing_allocates_nothing_where_nobody_listens()
    {
        using var pool = new ReferencePool("lean", new FixedPolicy(1));
        using var hold = new ManualResetEventSlim();
        Action<int> body = _ => hold.Wait(Patience);
        Queue(1000); // the queue grows to its size
        hold.Set();
        Assert.True(SpinWait.SpinUntil(() => pool.CompletedItems == 1000, Patience));
        hold.Reset();

        var before = GC.GetAllocatedBytesForCurrentThread();
        Queue(500);

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        hold.Set();

        void Queue(int items)
        {
            for (var i = 0; i < items; i++)
            {
                pool.Queue(body, i);
            }
        }
    }

    private static string Refusal(ReferencePool pool, int? min, int? max) =>
        Assert.Throws<PoolRefusedException>(() => pool.Limit(min, max)).Message;

    /// <summary>A policy whose threads end after 50 ms without work.</summary>
    private sealed class Brief(int threads, int kept) : IGrowthPolicy
    {
        public static readonly TimeSpan Timeout = TimeSpan.FromMilliseconds(50);

        public PoolLimits Limits { get; } = new(threads, threads);

        public int InitialThreads => 0;

        public TimeSpan? FirstLook => null;

        public bool CreatesAtEnqueue(in PoolState pool) => pool.Idle < pool.Queued && pool.Total < pool.MaxThreads;

        public Look AtGate(in PoolState pool) => throw new NotSupportedException();

        public TimeSpan IdleTimeout(in PoolState pool) => Timeout;

        public int Kept(in PoolState pool) => kept;
    }
}
