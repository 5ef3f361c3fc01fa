using Poolscope.Decode.WorkItems;
using Xunit;
using static Poolscope.Decode.Tests.WorkItems.JoinScript;

namespace Poolscope.Decode.Tests.WorkItems;

/// <summary>The end of an item that is no task is the earliest of what its worker does next.</summary>
public sealed class EndTests
{
    [Theory]
    [InlineData("dequeue 9", "300 NextDequeue")]
    [InlineData("park", "300 Park")]
    [InlineData("stop", "300 ThreadStop")]
    [InlineData("start", "300 ThreadExit")] // the thread id was given to a new worker
    public void The_first_event_of_the_worker_in_the_pool_bounds_the_end(string next, string end)
    {
        var items = Run($"100 10 dequeue 7\n300 10 {next}\n400 10 park").Items;

        Assert.Contains($"| {end} |", Render(items).First(), StringComparison.Ordinal);
    }

    [Fact]
    public void Another_worker_s_events_end_nothing() => Gives(
        """
        100 10 dequeue 7
        200 11 park
        300 10 park
        """,
        "7 | - | 100@10 | 300 Park | - | - | CensoredStart");

    [Fact]
    public void A_thread_that_exits_ends_its_item() => Gives(
        "100 10 dequeue 7",
        "7 | - | 100@10 | 900 ThreadExit | - | - | CensoredStart",
        exit: (tid, time) => tid == 10 && time == 100 ? 900 : -1);

    [Fact]
    public void A_park_is_moved_back_by_the_spin_that_the_worker_ran_before_it()
    {
        var items = Parked(dequeue: 1_000_000, park: 2_000_000, (900_000, 2_050_000));

        Assert.Equal(2_000_000 - ParkCorrection.SpinNs, items.End[0]);
        Assert.True(items.Has(0, ItemFlags.EndCorrected));
        Assert.Equal(EndKnown.Park, items.HowEnded(0));
    }

    [Fact]
    public void Time_off_the_core_does_not_count_as_spinning()
    {
        // 30 us before the park on a core, then 500 us without one, so 60 us of the spin lie before that.
        var items = Parked(dequeue: 1_000_000, park: 2_000_000, (900_000, 1_470_000), (1_970_000, 2_010_000));

        Assert.Equal(1_470_000 - 60_000, items.End[0]);
    }

    [Fact]
    public void An_item_that_was_blocked_does_not_end_before_it_was_woken()
    {
        // Blocked from 1.5 to 1.96 ms, then on a core for less than a spin: the item waited, the pool's spin does not.
        var items = Parked(1_000_000, 2_000_000, (900_000, 1_500_000), (1_960_000, 1_960_000), (1_970_000, 2_010_000));

        Assert.Equal(1_960_000, items.End[0]);
    }

    [Fact]
    public void An_item_does_not_end_before_its_dequeue()
    {
        var items = Parked(dequeue: 1_990_000, park: 2_000_000, (900_000, 2_050_000));

        Assert.Equal(1_990_000, items.End[0]);
        Assert.True(items.Has(0, ItemFlags.EndCorrected));
    }

    [Theory]
    [InlineData(0, 0)] // nothing known of the thread
    [InlineData(900_000, 1_500_000)] // the stream ends before the park
    [InlineData(1_950_000, 2_010_000)] // it does not reach back to the end
    public void Where_the_scheduler_stream_cannot_tell_the_park_stands(long start, long end)
    {
        var items = start == end ? Parked(1_000_000, 2_000_000) : Parked(1_000_000, 2_000_000, (start, end));

        Assert.Equal(2_000_000, items.End[0]);
        Assert.False(items.Has(0, ItemFlags.EndCorrected));
    }

    [Fact]
    public void Only_parks_are_moved()
    {
        var items = Run("1000000 10 dequeue 7\n2000000 10 dequeue 8\n3000000 10 stop").Items;

        Assert.Equal(0, ParkCorrection.Apply(items, _ => new[] { (0L, 9_000_000L) }));
        Assert.Equal([2_000_000, 3_000_000], items.End.Values.ToArray());
    }

    private static WorkItemTable Parked(long dequeue, long park, params (long Start, long End)[] running)
    {
        var items = Run($"{dequeue} 10 dequeue 7\n{park} 10 park").Items;
        ParkCorrection.Apply(items, tid => tid == 10 ? running : []);
        return items;
    }
}
