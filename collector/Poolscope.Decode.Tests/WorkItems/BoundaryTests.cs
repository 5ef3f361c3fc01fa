using Poolscope.Decode.Runtime;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Decode.WorkItems;
using Xunit;
using static Poolscope.Decode.Tests.WorkItems.JoinScript;

namespace Poolscope.Decode.Tests.WorkItems;

/// <summary>The join when two times are equal or nothing came before, and its counts.</summary>
public sealed class BoundaryTests
{
    [Fact]
    public void A_goal_lowered_at_the_very_time_of_the_worker_s_last_return_but_one_still_stops_it() => Gives(
        """
         50  1 goal 4
        100 10 dequeue 1
        100 11 goal 3
        150 10 dequeue 2
        160 10 enqueue 7
        170 10 enqueue 7
        180 10 park
        """,
        """
        1 | - | 100@10 | 150 NextDequeue | - | - | CensoredStart
        2 | - | 150@10 | 180 Park | - | - | CensoredStart
        7 | 160@10 | - | - | - | in 1 | QueuedAtEnd, Transferred
        """);

    [Fact]
    public void A_goal_lowered_before_that_does_not() => Gives(
        """
         50  1 goal 4
         99 11 goal 3
        100 10 dequeue 1
        150 10 dequeue 2
        160 10 enqueue 7
        170 10 enqueue 7
        180 10 park
        """,
        """
        1 | - | 100@10 | 150 NextDequeue | - | - | CensoredStart
        2 | - | 150@10 | 180 Park | - | - | CensoredStart
        7 | 160@10 | - | - | - | in 1 | QueuedAtEnd, Collided
        7 | 170@10 | - | - | - | in 1 | QueuedAtEnd, Collided
        """);

    [Fact]
    public void A_goal_that_was_never_lowered_stops_no_worker_not_even_at_its_first_item() => Gives(
        """
        100 10 dequeue 1
        160 10 enqueue 7
        170 10 enqueue 7
        """,
        """
        1 | - | 100@10 | - | - | - | CensoredStart, RunningAtEnd
        7 | 160@10 | - | - | - | in 0 | QueuedAtEnd, Collided
        7 | 170@10 | - | - | - | in 0 | QueuedAtEnd, Collided
        """);

    [Theory]
    [InlineData("120 1 goal 5\n130 1 goal 5")] // reported again
    [InlineData("120 1 goal 5\n130 1 max 5")] // a maximum that the goal has reached
    [InlineData("120 1 goal 5\n130 1 goal 6")]
    [InlineData("130 1 max 5")] // the goal is unknown
    public void A_goal_that_stays_or_rises_is_not_lowered(string changes)
    {
        // The first change of a capture may be a lowering, so it comes before the item.
        var before = string.Join('\n', changes.Split('\n').SkipLast(1));
        var items = Run($"{before}\n125 10 dequeue 1\n126 10 dequeue 2\n127 10 enqueue 7\n{changes.Split('\n')[^1]}\n140 10 enqueue 7").Items;

        Assert.Equal(4, items.Count);
        Assert.False(items.Has(2, ItemFlags.Transferred));
    }

    [Fact]
    public void An_item_is_moved_once_and_a_third_enqueue_is_a_new_one() => Gives(
        """
        100 10 dequeue 1
        101 10 started 40
        110 10 enqueue 7
        300 10 completed 40
        301 10 enqueue 7
        302 10 enqueue 7
        """,
        """
        1 | - | 100@10 | - | - | - | CensoredStart, RunningAtEnd
        7 | 110@10 | - | - | - | in 0 | QueuedAtEnd, Collided, Transferred
        7 | 302@10 | - | - | - | in 0 | QueuedAtEnd, Collided
        """);

    [Fact]
    public void Of_two_objects_with_one_hash_the_worker_moves_its_own() => Gives(
        """
        100  1 enqueue 7
        110 10 dequeue 1
        111 10 started 40
        120 10 enqueue 7
        300 10 completed 40
        301 10 enqueue 7
        """,
        """
        7 | 100@1 | - | - | - | - | QueuedAtEnd, Collided
        1 | - | 110@10 | 300 TaskCompleted | task 40 | - | CensoredStart
        7 | 120@10 | - | - | - | in 1 | QueuedAtEnd, Collided, Transferred
        """);

    [Fact]
    public void A_thread_outside_the_pool_moves_nothing() => Gives(
        """
        100  1 goal 4
        101  1 goal 3
        110  1 enqueue 7
        120  1 enqueue 7
        """,
        """
        7 | 110@1 | - | - | - | - | QueuedAtEnd, Collided
        7 | 120@1 | - | - | - | - | QueuedAtEnd, Collided
        """);

    [Fact]
    public void A_task_that_was_scheduled_before_another_began_is_not_what_is_queued_next() => Gives(
        """
         99 10 scheduled 41
        100 10 started 40
        110 10 enqueue 7
        """,
        "7 | 110@10 | - | - | - | - | QueuedAtEnd");

    [Theory]
    [InlineData("park")]
    [InlineData("start")]
    public void What_a_thread_scheduled_before_it_went_back_to_the_pool_is_not_what_it_queues_later(string back)
    {
        var items = Run($"99 10 scheduled 41\n100 10 {back}\n110 10 enqueue 7").Items;

        Assert.Equal(-1, items.TaskId[0]);
    }

    [Fact]
    public void Every_tie_that_is_dropped_is_counted()
    {
        const string startedElsewhere = "99 1 scheduled 40\n100 1 enqueue 7\n110 50 started 40";
        const string neverStarted = "99 1 scheduled 40\n100 1 enqueue 7\n200 10 dequeue 7\n300 10 park";
        const string kept = "99 1 scheduled 40\n100 1 enqueue 7\n200 10 dequeue 7\n201 10 started 40\n300 10 completed 40";

        Assert.Equal(1, Run(startedElsewhere).TiesDropped);
        Assert.Equal(1, Run(neverStarted).TiesDropped);
        Assert.Equal(0, Run(kept).TiesDropped);
        Assert.Equal(0, Run("200 10 dequeue 7\n300 10 park").TiesDropped);
    }

    [Fact]
    public void A_queued_task_that_was_already_dequeued_is_not_run_inline_once_more() => Gives(
        """
         99 10 scheduled 40
        100 10 enqueue 7
        200 11 dequeue 7
        210 10 started 40
        """,
        "7 | 100@10 | 200@11 | - | - | - | RunningAtEnd");

    [Fact]
    public void The_end_of_an_inner_task_does_not_end_the_outer_item_even_if_it_goes_on_with_others() => Gives(
        """
        200 10 dequeue 7
        201 10 started 40
        210 10 scheduled 41
        211 10 enqueue 8
        220 10 started 41
        230 10 completed 41
        232 10 started 42
        240 10 completed 40
        """,
        """
        7 | - | 200@10 | 240 TaskCompleted | task 40 | - | CensoredStart
        8 | 211@10 | inline 220@10 | 230 TaskCompleted | task 41 | in 0 | Inlined
        """);

    [Fact]
    public void Outer_and_inner_end_together_where_the_outer_task_ends_first() => Gives(
        """
        200 10 dequeue 7
        201 10 started 40
        210 10 scheduled 41
        211 10 enqueue 8
        220 10 started 41
        230 10 completed 40
        240 10 enqueue 9
        """,
        """
        7 | - | 200@10 | - | - | - | CensoredStart, RunningAtEnd
        8 | 211@10 | inline 220@10 | 230 TaskCompleted | task 41 | in 0 | Inlined
        9 | 240@10 | - | - | - | in 0 | QueuedAtEnd
        """);

    [Fact]
    public void A_thread_that_lives_on_keeps_its_item_and_one_that_exits_at_zero_ends_it()
    {
        var alive = Run("100 10 dequeue 7", (_, _) => -1).Items;
        var gone = Run("0 10 dequeue 7", (_, _) => 0).Items;

        Assert.True(alive.Has(0, ItemFlags.RunningAtEnd));
        Assert.Equal((0, EndKnown.ThreadExit), (gone.End[0], gone.HowEnded(0)));
        Assert.False(gone.Has(0, ItemFlags.RunningAtEnd));
    }

    [Theory]
    [InlineData(1_000_000, 2_000_000, 1_910_000)] // on a core until the very moment of the park
    [InlineData(1_910_000, 2_500_000, 1_910_000)] // since exactly one spin before it
    [InlineData(1_910_001, 2_500_000, 2_000_000)] // a nanosecond too short to tell
    [InlineData(1_000_000, 1_999_999, 2_000_000)] // no longer on a core
    [InlineData(2_000_000, 2_500_000, 2_000_000)] // only from the park on
    public void A_park_is_moved_back_by_exactly_one_spin_on_a_core(long start, long end, long expected) =>
        Assert.Equal(expected, Parked(500_000, (start, end)).End[0]);

    [Fact]
    public void Of_many_stays_on_a_core_the_one_that_holds_the_park_counts()
    {
        (long Start, long End)[] at = [.. Enumerable.Range(0, 40).Select(n => (n * 400_000L, (n * 400_000L) + 200_000))];
        (long Start, long End)[] before = [.. at.Select(r => (r.Start - 10_000, r.End))];

        // The stay that begins at the park is not before it, and the one before that is over.
        Assert.Equal(2_000_000, Parked(1, at).End[0]);

        // 10 us of the stay that holds the park, and 80 us of the one before.
        Assert.Equal(1_800_000 - 80_000, Parked(1, before).End[0]);
    }

    [Theory]
    [InlineData(149_999, 0)]
    [InlineData(150_000, 3)] // not a turn: it is the item's
    public void Of_many_short_stays_each_may_be_a_turn_of_the_spin(long third, int expected)
    {
        (long Start, long End)[] stays = [.. Enumerable.Range(0, 9).Select(n => (n * 1_000_000L, (n * 1_000_000L) + (n == 3 ? third : 30_000)))];
        stays[0] = (0, 900_000);

        Assert.Equal(
            stays[expected].End - ParkCorrection.FirstTurnsNs, ParkedAt(8_020_000, dequeue: 1, stays).End[0]);
    }

    [Theory]
    [InlineData(599_999, 0)]
    [InlineData(600_000, 8)]
    public void The_stay_that_holds_the_park_may_be_longer(long last, int expected)
    {
        (long Start, long End)[] stays = [.. Enumerable.Range(0, 9).Select(n => (n * 1_000_000L, (n * 1_000_000L) + (n == 8 ? last : 30_000)))];
        stays[0] = (0, 900_000);
        var spin = expected == 8 ? ParkCorrection.SpinNs : ParkCorrection.FirstTurnsNs;

        Assert.Equal(stays[expected].End - spin, ParkedAt(8_000_000 + last, dequeue: 1, stays).End[0]);
    }

    [Fact]
    public void A_spin_has_65_yields()
    {
        (long Start, long End)[] stays = [.. Enumerable.Range(0, 90).Select(n => (n * 1_000_000L, (n * 1_000_000L) + 50_000))];

        // The stays before them are the item's, which may have yielded too.
        Assert.Equal(
            stays[^(ParkCorrection.Yields + 1)].End - ParkCorrection.FirstTurnsNs, ParkedAt(89_040_000, dequeue: 1, stays).End[0]);
    }

    /// <summary>Suspensions broke a spin into more pieces than one lookup returns.</summary>
    [Theory]
    [InlineData(10)]
    [InlineData(1_000)]
    [InlineData(5_000)]
    public void A_spin_is_followed_back_as_far_as_it_goes(int pieces)
    {
        (long Start, long End)[] running = [(0, 1_000_000), .. Enumerable.Range(0, pieces).Select(i => (1_000_010L + (10 * i), 1_000_010L + (10 * i))), (2_000_000, 2_010_000)];
        var items = Run("1 10 dequeue 7\n2005000 10 park").Items;

        ParkCorrection.Apply(items, (_, before, count) => running.AsSpan(Math.Max(0, running.Length - count)), _ => true, (_, _) => -1);

        Assert.Equal(1_000_000 - (ParkCorrection.SpinNs - 5_000), items.End[0]);
    }

    [Fact]
    public void A_park_at_the_dequeue_itself_is_not_moved()
    {
        var items = Run("2000000 10 dequeue 7\n2000000 10 park").Items;

        Assert.Equal(0, ParkCorrection.Apply(items, (_, _, _) => new[] { (0L, 9_000_000L) }, _ => false, (_, _) => -1));
        Assert.False(items.Has(0, ItemFlags.EndCorrected));
    }

    [Fact]
    public void Every_flag_is_counted_under_its_own_name()
    {
        var tables = new RuntimeTables();
        tables.Enqueue(10, 1, 7); // joined, collided, its end corrected
        tables.Enqueue(11, 1, 7); // collided, queued at the end
        tables.Dequeue(1_000_000, 10, 7);
        tables.WorkerPark(2_000_000, 10);
        tables.Dequeue(2_100_000, 11, 8); // censored, a task
        tables.TaskStarted(2_100_001, 11, 40);
        tables.Enqueue(2_200_000, 11, 9); // moved
        tables.TaskScheduled(2_200_001, 11, 41, -1, 0);
        tables.Enqueue(2_200_002, 11, 12); // run inline
        tables.TaskStarted(2_200_003, 11, 41);
        tables.TaskCompleted(2_200_004, 11, 41);
        tables.TaskCompleted(2_300_000, 11, 40);
        tables.Enqueue(2_300_001, 11, 9);
        tables.Dequeue(2_400_000, 12, 9); // joined, running at the end
        tables.Enqueue(2_500_000, 1, 20); // queued at the end
        tables.TaskScheduled(2_500_001, 1, 50, -1, 0);
        tables.Enqueue(2_500_002, 1, 21); // a tie that is dropped
        tables.Dequeue(2_500_003, 13, 21);
        tables.WorkerStop(2_600_000, 13);
        tables.Finish(Manifests.Target(launched: true), 0, (_, _) => -1, (tid, _, _) => tid == 10 ? new[] { (0L, 3_000_000L) } : default);

        var counts = ItemCounter.Count(tables);

        Assert.Equal(
            new ItemCounts(
                Total: 7,
                Joined: 3,
                Inlined: 1,
                CensoredStart: 1,
                QueuedAtEnd: 2,
                RunningAtEnd: 1,
                Collided: 2,
                Transferred: 1,
                EndsCorrected: 1,
                TaskTiesDropped: 1),
            counts);
        Assert.Equal(new ItemCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), ItemCounter.Count(null));
    }

    private static WorkItemTable Parked(long dequeue, params (long Start, long End)[] running) =>
        ParkedAt(2_000_000, dequeue, running);

    private static WorkItemTable ParkedAt(long park, long dequeue, (long Start, long End)[] running)
    {
        var items = Run($"{dequeue} 10 dequeue 7\n{park} 10 park").Items;
        ParkCorrection.Apply(items, (tid, _, _) => tid == 10 ? running : [], _ => false, (_, _) => -1);
        return items;
    }
}
