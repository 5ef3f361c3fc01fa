using Poolscope.Decode.WorkItems;
using Xunit;
using static Poolscope.Decode.Tests.WorkItems.JoinScript;

namespace Poolscope.Decode.Tests.WorkItems;

/// <summary>An item that is not a task ends with the first event that its worker writes next.</summary>
public sealed class EndTests
{
    [Theory]
    [InlineData("dequeue 9", "300 NextDequeue")]
    [InlineData("park", "300 Park")]
    [InlineData("stop", "300 ThreadStop")]
    [InlineData("start", "300 ThreadExit")] // a new worker got the thread id
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

    [Theory]
    [InlineData(3_000_000, 65)]
    [InlineData(3_000_000, 40)] // no other thread wanted the core at the other yields
    [InlineData(100_000, 65)] // preempted while it ran its item: the spin has only these yields
    public void An_item_does_not_end_later_because_its_worker_yields_to_others_before_it_parks(long itemsTurn, int yields)
    {
        const long Turn = 8_000, Round = 20_000_000, Off = 100_000_000;
        var spin = Enumerable.Range(1, yields).Select(i => (Off + (i * Round), Off + (i * Round) + Turn));
        (long, long)[] running = [(Off - (2 * Round), Off - Round), (Off - itemsTurn, Off), .. spin];
        var items = Parked(dequeue: Off - (3 * Round), park: running[^1].Item2 - 1_000, running);

        Assert.Equal(Off - ParkCorrection.FirstTurnsNs, items.End[0]);
    }

    [Theory]
    [InlineData(500_000)] // the thread that parks writes its event in the last stretch
    [InlineData(4_000)]
    public void A_suspension_that_stops_a_spin_does_not_end_the_item(long lastTurn)
    {
        const long Round = 20_000_000, Off = 100_000_000;
        (long, long)[] Turns(int from, int to) => [.. Enumerable.Range(from, to - from).Select(i => (Off + (i * Round), Off + (i * Round) + 8_000))];
        var blocked = Off + (30 * Round) + 9_000;
        (long, long)[] running =
        [
            (Off - 3_000_000, Off), .. Turns(1, 30), (blocked - 5_000, blocked), (blocked + 1_000_000, blocked + 1_000_000),
            .. Turns(31, 60), (Off + (60 * Round), Off + (60 * Round) + lastTurn),
        ];

        var items = Parked(Off - (3 * Round), running[^1].Item2 - 1_000, time => time == blocked, running);
        var blockedInItem = Parked(Off - (3 * Round), running[^1].Item2 - 1_000, time => false, running);

        Assert.Equal(Off - ParkCorrection.FirstTurnsNs, items.End[0]);
        Assert.Equal(blocked + 1_000_000, blockedInItem.End[0]);
    }

    [Fact]
    public void An_item_that_yielded_as_often_as_a_spin_before_it_was_blocked_keeps_that_wait()
    {
        // SemaphoreSlim.Wait has 140 turns too. Nothing distinguishes it from a spin whose thread was blocked as it
        // wrote the event.
        const long Round = 20_000_000, Off = 100_000_000;
        var spin = Enumerable.Range(1, ParkCorrection.Yields).Select(i => (Off + (i * Round), Off + (i * Round) + 8_000)).ToArray();
        var woken = spin[^1].Item2 + 700_000_000;
        (long, long)[] running = [(Off - 3_000_000, Off), .. spin, (woken, woken), (woken + 10_000, woken + 15_000)];

        Assert.Equal(woken, Parked(dequeue: Off - (3 * Round), park: woken + 14_000, running).End[0]);
    }

    [Fact]
    public void A_spin_that_was_preempted_long_after_its_start_began_before_that()
    {
        // 90 us on a core, preempted, 20 us more: the last turns of a spin are no reason to go back to the first stretch.
        var items = Parked(dequeue: 1_000_000, park: 3_020_000, (900_000, 1_990_000), (2_900_000, 3_025_000));

        Assert.Equal(3_020_000 - ParkCorrection.SpinNs, items.End[0]);
    }

    [Fact]
    public void A_short_item_in_the_same_stretch_as_its_spin_does_not_end_in_the_one_before()
    {
        var items = Parked(dequeue: 1_960_000, park: 2_000_000, (900_000, 1_500_000), (1_950_000, 2_005_000));

        Assert.Equal(1_960_000, items.End[0]);
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
    public void An_item_does_not_end_before_what_only_an_item_does()
    {
        // The spin alone would put the end at 1.91 ms.
        (long, long)[] running = [(900_000, 2_050_000)];
        var queued = Run("1000000 10 dequeue 7\n1960000 10 enqueue 8\n2000000 10 park").Items;
        ParkCorrection.Apply(queued, (_, _, _) => running, _ => false, (_, _) => -1);
        Assert.Equal(1_960_000, queued.End[0]);

        var sent = Run("1000000 10 dequeue 7\n2000000 10 park").Items;
        ParkCorrection.Apply(sent, (_, _, _) => running, _ => false, (tid, until) => tid == 10 && until == 2_000_000 ? 1_970_000 : -1);
        Assert.Equal(1_970_000, sent.End[0]);

        var before = Run("900000 10 dequeue 6\n1000000 10 dequeue 7\n2000000 10 park").Items;
        ParkCorrection.Apply(before, (_, _, _) => running, _ => false, (_, _) => 950_000);
        Assert.Equal(1_910_000, before.End[1]);
    }

    [Fact]
    public void Only_parks_are_moved()
    {
        var items = Run("1000000 10 dequeue 7\n2000000 10 dequeue 8\n3000000 10 stop").Items;

        Assert.Equal(0, ParkCorrection.Apply(items, (_, _, _) => new[] { (0L, 9_000_000L) }, _ => false, (_, _) => -1));
        Assert.Equal((2_000_000, 3_000_000), (items.End[0], items.End[1]));
    }

    private static WorkItemTable Parked(long dequeue, long park, params (long Start, long End)[] running) =>
        Parked(dequeue, park, suspended: null, running);

    private static WorkItemTable Parked(
        long dequeue, long park, Func<long, bool>? suspended, (long Start, long End)[] running)
    {
        var items = Run($"{dequeue} 10 dequeue 7\n{park} 10 park").Items;
        ParkCorrection.Apply(items, (tid, _, _) => tid == 10 ? running : [], suspended ?? (_ => false), (_, _) => -1);
        return items;
    }
}
