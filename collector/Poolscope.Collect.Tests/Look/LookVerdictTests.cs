using Poolscope.Look.Judging;
using Poolscope.Look.Lines;
using Poolscope.Look.Telling;
using Xunit;
using static Poolscope.Collect.Tests.Look.Readings;

namespace Poolscope.Collect.Tests.Look;

public sealed class LookVerdictTests
{
    /// <summary>min, max, active, idle, queued; number of waiting threads and their call; number of running threads;
    /// verdict.</summary>
    public static TheoryData<int, int, int, int, int, int, string?, int, string> Pools => new()
    {
        { 8, 24, 24, 0, 817, 22, TaskWait, 2, LookVerdict.SyncOverAsync },
        { 8, 24, 24, 0, 817, 22, Sleep, 2, LookVerdict.BlockedAtCap },
        { 8, 240, 24, 0, 817, 22, Sleep, 2, LookVerdict.InjectionDelay },
        { 8, 240, 24, 0, 817, 22, MonitorEnter, 2, LookVerdict.LockConvoy },
        { 4, 32767, 4, 0, 90, 1, Sleep, 3, LookVerdict.CoreContention },
        { 4, 32767, 4, 0, 90, 2, Sleep, 2, LookVerdict.CannotTell },

        // Nothing waits or a thread is free: never a cause, however many threads block.
        { 8, 24, 24, 0, 0, 24, Sleep, 0, LookVerdict.CannotTell },
        { 30, 50, 24, 0, 0, 24, Sleep, 0, LookVerdict.Healthy }, // below the minimum a thread comes at once
        { 8, 24, 24, 0, 0, 4, MonitorEnter, 20, LookVerdict.Healthy }, // every lock has some contention
        { 8, 24, 24, 0, 0, 24, MonitorEnter, 0, LookVerdict.LockConvoy }, // nothing is queued, but items end late
        { 8, 24, 4, 4, 7, 4, Sleep, 0, LookVerdict.Healthy },
        { 8, 24, 0, 0, 0, 0, null, 0, LookVerdict.Healthy },
    };

    [Theory]
    [MemberData(nameof(Pools))]
    public void A_cause_needs_a_queue_and_threads_that_show_it(int min, int max, int active, int idle, int queued, int waiting, string? call, int running, string expected)
    {
        var view = View([Pool(min, max, active + idle, active, idle), Queue(queued), .. Inside(waiting, call), .. Inside(running, null), .. Idle(idle)]);
        var ofDump = expected == LookVerdict.CoreContention ? LookVerdict.CannotTell : expected; // a burst looks the same
        Assert.Equal(ofDump, LookVerdict.Of(new PoolLook(view, null, IsDump: true)).Id);
        Assert.Equal(expected, LookVerdict.Of(new PoolLook(view, view, IsDump: false)).Id);
    }

    [Fact]
    public void Idle_threads_above_the_goal_are_no_free_threads()
    {
        var view = View([Pool(2, 9, goal: 2, active: 2, idle: 1), Queue(100), .. Inside(2, Sleep), .. Idle(1)]);
        Assert.Equal(LookVerdict.InjectionDelay, LookVerdict.Of(new PoolLook(view, view, IsDump: false)).Id);
    }

    [Fact]
    public void Threads_that_wait_for_locks_which_were_not_read_are_not_healthy()
    {
        var view = View([Pool(30, 50, 24, 24, 0), Queue(0), .. Inside(24, MonitorEnter, "library!Library.Do")]);
        Assert.Equal(LookVerdict.CannotTell, LookVerdict.Of(new PoolLook(view, view, IsDump: false)).Id);
        var few = View([Pool(30, 50, 7, 7, 0), Queue(0), .. Inside(7, MonitorEnter, "library!Library.Do")]);
        Assert.Equal(LookVerdict.Healthy, LookVerdict.Of(new PoolLook(few, few, IsDump: false)).Id);
    }

    [Theory]
    [InlineData(3, 9, "medium")] // the pool can still add as many threads as are blocked
    [InlineData(3, 5, "low")]
    public void Where_the_maximum_is_near_the_pace_is_not_surely_the_cause(int threads, int max, string confidence)
    {
        var view = View([Pool(2, max, threads, threads, 0), Queue(100), .. Inside(threads, Sleep)]);
        var verdict = LookVerdict.Of(new PoolLook(view, view, IsDump: false));
        Assert.Equal((LookVerdict.InjectionDelay, confidence), (verdict.Id, verdict.Confidence));
    }

    [Theory]
    [InlineData(1, 0)] // two are inside items, and one counts as active
    [InlineData(2, 2)] // two count as idle, and none is seen
    public void A_dump_that_contradicts_itself_is_not_judged(int active, int idle)
    {
        var view = View([Pool(2, 9, 4, active, idle), Queue(0), .. Inside(2, Sleep)]);
        var verdict = LookVerdict.Of(new PoolLook(view, null, IsDump: true));
        Assert.Equal((LookVerdict.CannotTell, true), (verdict.Id, verdict.Why.Contains("contradicts itself", StringComparison.Ordinal)));
    }

    [Fact]
    public void Two_looks_that_differ_give_no_cause()
    {
        var blocked = View([Pool(2, 9, 2, 2, 0), Queue(100), .. Inside(2, Sleep)]);
        var computing = View([Pool(2, 9, 2, 2, 0), Queue(100), .. Inside(2, null)]);
        Assert.Equal(LookVerdict.CannotTell, LookVerdict.Of(new PoolLook(blocked, computing, IsDump: false)).Id);
    }

    [Theory]
    [InlineData(5_000, LookVerdict.Healthy)] // 20 queued, 5,000 end in a second: each waits 4 ms
    [InlineData(100, LookVerdict.CoreContention)] // 200 ms
    public void Items_that_start_in_time_are_healthy(int ended, string expected)
    {
        var first = View([Pool(2, 9, 2, 2, 0, completed: 1_000, at: 0), Queue(20), .. Inside(2, null)]);
        var second = View([Pool(2, 9, 2, 2, 0, completed: 1_000 + ended, at: 1_000), Queue(20), .. Inside(2, null)]);
        Assert.Equal(expected, LookVerdict.Of(new PoolLook(first, second, IsDump: false)).Id);
    }

    [Fact]
    public void Stacks_that_were_not_read_give_no_cause_and_those_of_the_other_look_a_weaker_one()
    {
        var cut = View(Pool(2, 2, 2, 2, 0), Queue(100), new LookLine { Threads = 8 });
        var whole = View([Pool(2, 2, 2, 2, 0), Queue(100), .. Inside(2, Sleep)]);
        Assert.Equal(LookVerdict.CannotTell, LookVerdict.Of(new PoolLook(cut, cut, IsDump: false)).Id);
        Assert.Equal((LookVerdict.BlockedAtCap, "low"), Judged(new PoolLook(cut, whole, IsDump: false)));
        Assert.Equal((LookVerdict.BlockedAtCap, "low"), Judged(new PoolLook(whole, null, IsDump: false)));
    }

    [Fact]
    public void Stacks_that_contradict_the_count_of_active_threads_give_no_cause()
    {
        var odd = View([Pool(2, 30, 26, 26, 0), Queue(43), .. Inside(1, TaskWait), .. Idle(25)]);
        var whole = View([Pool(2, 30, 26, 26, 0), Queue(43), .. Inside(26, TaskWait)]);
        Assert.Equal(LookVerdict.CannotTell, LookVerdict.Of(new PoolLook(odd, odd, IsDump: false)).Id);
        Assert.Equal((LookVerdict.SyncOverAsync, "low"), Judged(new PoolLook(odd, whole, IsDump: false)));
    }

    [Theory]
    [InlineData(6, LookVerdict.CoreContention)]
    [InlineData(9, LookVerdict.CannotTell)] // more of them belong to others than to the pool
    public void Where_others_want_the_processors_the_pool_is_not_the_cause(int runnable, string expected)
    {
        var pool = Pool(4, 99, 4, 4, 0) with { Pool = Pool(4, 99, 4, 4, 0).Pool! with { Runnable = runnable } };
        var view = View([pool, Queue(100), .. Inside(4, null)]);
        Assert.Equal(expected, LookVerdict.Of(new PoolLook(view, view, IsDump: false)).Id);
    }

    [Fact]
    public void No_verdict_of_a_look_is_sure()
    {
        foreach (var row in Pools)
        {
            var (min, max, active, idle, queued, waiting, call, running, _) = row.Data;
            var view = View([Pool(min, max, active + idle, active, idle), Queue(queued), .. Inside(waiting, call), .. Inside(running, null)]);
            Assert.NotEqual("high", LookVerdict.Of(new PoolLook(view, view, IsDump: false)).Confidence);
        }
    }

    [Fact]
    public void Waiters_of_one_monitor_are_a_convoy_and_its_type_is_named()
    {
        var view = View([Pool(2, 9, 5, 5, 0), Queue(100), .. Inside(4, MonitorEnter), .. Inside(1, null), new LookLine { Lock = new LockLine("Shop.Ledger", 7, 4) }]);
        var verdict = LookVerdict.Of(new PoolLook(view, view, IsDump: false));
        Assert.Equal(LookVerdict.LockConvoy, verdict.Id);
        Assert.Contains("Shop.Ledger", verdict.Why, StringComparison.Ordinal);
    }

    [Fact]
    public void What_is_next_names_the_process()
    {
        var verdict = new LookVerdict(LookVerdict.BlockedAtCap, "medium", "");
        Assert.Contains("poolscope record -p 4711", LookNext.Of(verdict, 4711), StringComparison.Ordinal);
        Assert.Contains("poolscope record -p PID", LookNext.Of(verdict, null), StringComparison.Ordinal);
    }

    private static (string, string) Judged(PoolLook look) => LookVerdict.Of(look) is var verdict ? (verdict.Id, verdict.Confidence) : default;
}
