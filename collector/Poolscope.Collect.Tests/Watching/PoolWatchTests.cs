using Poolscope.Decode.Live;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

public sealed class PoolWatchTests
{
    private const long Second = 1_000_000_000;

    private readonly PoolWatch _pool = new(startNs: 0);

    [Fact]
    public void An_item_that_still_waits_counts_by_the_watchers_clock()
    {
        _pool.Enqueue(1 * Second, 7);
        Assert.Equal(9 * Second, _pool.Sample(10 * Second).WaitNs);
        Assert.Equal(9 * Second, _pool.Sample(10 * Second).SilentNs);
    }

    [Fact]
    public void An_item_that_began_counts_once()
    {
        _pool.Enqueue(1 * Second, 7);
        _pool.Dequeue(4 * Second, 7);
        Assert.Equal(3 * Second, _pool.Sample(5 * Second).WaitNs);
        Assert.Equal(0, _pool.Sample(6 * Second).WaitNs);
    }

    [Fact]
    public void Of_one_id_the_oldest_is_dequeued_first()
    {
        _pool.Enqueue(1 * Second, 7);
        _pool.Enqueue(2 * Second, 8);
        _pool.Enqueue(3 * Second, 7);
        _pool.Dequeue(4 * Second, 7);
        _ = _pool.Sample(4 * Second);
        Assert.Equal(8 * Second, _pool.Sample(10 * Second).WaitNs);
        _pool.Dequeue(10 * Second, 8);
        _ = _pool.Sample(10 * Second);
        Assert.Equal(7 * Second, _pool.Sample(10 * Second).WaitNs);
    }

    /// <summary>An item that a waiting thread ran itself has an enqueue but no dequeue.</summary>
    [Fact]
    public void What_the_counter_does_not_count_does_not_wait()
    {
        _pool.Enqueue(1 * Second, 7);
        _pool.Enqueue(2 * Second, 8);
        _pool.Queue(3 * Second, 1);
        Assert.Equal(8 * Second, _pool.Sample(10 * Second).WaitNs);
        _pool.Queue(11 * Second, 0);
        Assert.Equal(0, _pool.Sample(12 * Second).WaitNs);
    }

    [Fact]
    public void An_item_as_young_as_the_reading_stays()
    {
        _pool.Enqueue(3 * Second, 7);
        _pool.Queue((3 * Second) + 1, 0);
        Assert.Equal(1 * Second, _pool.Sample(4 * Second).WaitNs);
    }

    /// <summary>A pool that was starved before it was watched shows no enqueue.</summary>
    [Fact]
    public void Items_from_before_have_waited_since_the_beginning_at_least()
    {
        _pool.Queue(1 * Second, 50);
        Assert.Equal(6 * Second, _pool.Sample(6 * Second).WaitNs);
        _pool.Queue(7 * Second, 0);
        Assert.Equal(0, _pool.Sample(8 * Second).WaitNs);

        // Items that come later without an enqueue are not from before.
        _pool.Queue(9 * Second, 50);
        Assert.Equal(0, _pool.Sample(10 * Second).WaitNs);
    }

    [Fact]
    public void A_loss_forgets_who_waits()
    {
        _pool.Enqueue(1 * Second, 7);
        _pool.Lost(3);
        Assert.Equal((0, 3), (_pool.Sample(10 * Second).WaitNs, _pool.Sample(10 * Second).Lost));
    }

    [Fact]
    public void Only_starvation_is_starvation()
    {
        _pool.Goal(2 * Second, 8, reason: 3);
        Assert.Equal((8, -1L), (_pool.Sample(3 * Second).Goal, _pool.Sample(3 * Second).StarvationNs));
        _pool.Goal(4 * Second, 9, reason: 6);
        Assert.Equal((9, 4 * Second), (_pool.Sample(5 * Second).Goal, _pool.Sample(5 * Second).StarvationNs));
    }

    [Fact]
    public void The_goal_keeps_the_reason_of_its_last_change()
    {
        Assert.Equal((-1, -1L, 0L), (_pool.Sample(Second).GoalReason, _pool.Sample(Second).GoalNs, _pool.Sample(Second).Starvations));
        _pool.Goal(2 * Second, 9, reason: 6);
        _pool.Goal(3 * Second, 10, reason: 6);
        _pool.Goal(4 * Second, 8, reason: 3);
        var sample = _pool.Sample(5 * Second);
        Assert.Equal((3, 4 * Second, 2L), (sample.GoalReason, sample.GoalNs, sample.Starvations));
    }

    [Fact]
    public void The_wait_of_an_item_that_began_is_told_from_one_that_still_waits()
    {
        _pool.Enqueue(Second, 7);
        _pool.Dequeue(2 * Second, 7);
        _pool.Enqueue(2 * Second, 8);
        var sample = _pool.Sample(5 * Second);
        Assert.Equal((3 * Second, Second), (sample.WaitNs, sample.BegunWaitNs));
        Assert.Equal(0, _pool.Sample(6 * Second).BegunWaitNs);
    }

    [Fact]
    public void Every_item_that_began_is_counted()
    {
        _pool.Enqueue(Second, 7);
        _pool.Dequeue(2 * Second, 7);
        _pool.Dequeue(3 * Second, 8);
        Assert.Equal(2, _pool.Sample(4 * Second).Begun);
    }

    [Fact]
    public void A_flood_is_kept_up_to_a_bound_and_the_oldest_is_known()
    {
        for (var i = 0; i < WaitingItems.Most + 1000; i++)
        {
            _pool.Enqueue(i, i % 5000);
        }

        _pool.Queue(Second, WaitingItems.Most + 1000);
        Assert.Equal(2 * Second, _pool.Sample(2 * Second).WaitNs);
    }
}
