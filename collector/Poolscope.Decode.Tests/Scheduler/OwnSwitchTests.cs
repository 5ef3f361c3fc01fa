using Poolscope.KernelEvents;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>Thread states from the target's own switches (tier switch), which does not record wake-ups. The end of a
/// blocked time may therefore be off by the whole time, and its resolution says so.</summary>
public sealed class OwnSwitchTests
{
    public static TheoryData<string, Action<ISchedulerEvents>, string> Cases() => new()
    {
        {
            "it sleeps until it is seen again: the wait for a core after its wake-up is in there",
            e => { e.OwnIn(10, 7); e.OwnOut(20, 7, preempted: false); e.OwnIn(35, 7); },
            "blocked 0-10 (±10), running 10-20, blocked 20-35 (±15), running 35-100"
        },
        {
            "preempted: ready until it comes again",
            e => { e.OwnIn(10, 7); e.OwnOut(20, 7, preempted: true); e.OwnIn(35, 7); },
            "blocked 0-10 (±10), running 10-20, ready 20-35, running 35-100"
        },
        {
            "first seen leaving: it ran before",
            e => e.OwnOut(40, 7, preempted: true),
            "running 0-40, ready 40-100"
        },
        {
            "never seen, while others were: blocked",
            e => e.OwnIn(10, 8),
            "blocked 0-100 (±100)"
        },
        {
            "an exit has no switch-out after it",
            e => { e.OwnIn(10, 7); e.Exit(30, 7); },
            "blocked 0-10 (±10), running 10-30"
        },
        {
            "the id is used again: the first life ended at its exit, not at the next birth",
            e => { e.OwnIn(10, 7); e.Exit(30, 7); e.Born(50, 7); e.OwnIn(55, 7); },
            "blocked 0-10 (±10), running 10-30, blocked 50-55 (±5), running 55-100"
        },
        {
            "recorded twice: every record comes twice and changes nothing",
            e =>
            {
                e.Born(5, 7);
                e.Born(6, 7);
                e.OwnIn(10, 7);
                e.OwnIn(11, 7);
                e.OwnOut(20, 7, preempted: true);
                e.OwnOut(21, 7, preempted: true);
                e.OwnIn(30, 7);
                e.OwnIn(31, 7);
                e.OwnOut(40, 7, preempted: false);
                e.OwnOut(41, 7, preempted: false);
            },
            "blocked 5-10 (±5), running 10-20, ready 20-30, running 30-40, blocked 40-100 (±60)"
        },
        {
            "its switch-out was lost: it ran no longer than to the gap",
            e => { e.OwnIn(10, 7); e.Lost(20, 50, 0, 3); e.OwnIn(60, 7); },
            "blocked 0-10 (±10), running 10-20, blocked 20-60 (±40), running 60-100"
        },
        {
            "its switch-in was lost: it ran at most from the gap on",
            e => { e.OwnIn(10, 7); e.OwnOut(15, 7, preempted: false); e.Lost(20, 50, 0, 3); e.OwnOut(60, 7, preempted: true); },
            "blocked 0-10 (±10), running 10-15, blocked 15-20 (±5), running 20-60 (±30), ready 60-100"
        },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void States_follow_the_records(string what, Action<ISchedulerEvents> events, string expected)
    {
        Assert.Equal(expected, Scripted.States(Scripted.Run(0, 100, events), 7));
        Assert.NotEmpty(what);
    }

    [Fact]
    public void Their_origin_is_switch()
    {
        var own = Scripted.Run(0, 100, e => e.OwnIn(10, 7));
        var all = Scripted.Run(0, 100, e => e.In(10, 7));

        Assert.Equal(("switch", "tracepoint"), (own.Tier, all.Tier));
        Assert.Equal(("switch", "tracepoint"), (Origin(own.ThreadStates), Origin(all.ThreadStates)));
    }

    private static string Origin(Table states)
    {
        var values = states.Schema.Columns.Single(c => c.Name == "origin").Values!;
        return values[Assert.Single(Enumerable.Range(0, states.Count).Select(row => states.Enum("origin")[row]).Distinct())];
    }
}
