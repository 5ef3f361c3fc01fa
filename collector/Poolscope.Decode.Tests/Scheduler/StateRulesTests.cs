using Poolscope.KernelEvents;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>Thread states from hand-written events. Each case is one trap of the stream: events in, states of thread 7 out.</summary>
public sealed class StateRulesTests
{
    private const int S = 1;
    private const int Preempted = 0;
    private const int PreemptedInKernel = 0x100;
    private const int Dead = 0x10;

    public static TheoryData<string, Action<ISchedulerEvents>, string> Cases() => new()
    {
        {
            "it sleeps, is woken, waits for a core and runs",
            e => { e.Out(10, 7, S); e.Waking(30, 7); e.Wakeup(31, 7); e.In(35, 7); },
            "running 0-10, blocked 10-30, ready 30-35, running 35-100"
        },
        {
            "sched_waking alone makes it ready, as does sched_wakeup alone",
            e => { e.Out(10, 7, S); e.Wakeup(30, 7); e.In(35, 7); e.Out(40, 7, S); e.Waking(50, 7); },
            "running 0-10, blocked 10-30, ready 30-35, running 35-40, blocked 40-50, ready 50-100"
        },
        {
            "preempted on return to user space shows as running (0)",
            e => { e.Out(10, 7, Preempted); e.In(35, 7); },
            "running 0-10, ready 10-35, running 35-100"
        },
        {
            "preempted in the kernel has a bit of its own",
            e => { e.Out(10, 7, PreemptedInKernel); e.In(35, 7); },
            "running 0-10, ready 10-35, running 35-100"
        },
        {
            "woken before it had left its CPU: ready the moment it leaves",
            e => { e.In(10, 7); e.Waking(18, 7); e.Out(20, 7, S); e.Wakeup(21, 7); e.In(25, 7); },
            "blocked 0-10, running 10-20, ready 20-25, running 25-100"
        },
        {
            "woken and the wake-up completed while it ran: a later sleep is its own",
            e => { e.In(10, 7); e.Waking(18, 7); e.Wakeup(19, 7); e.Out(20, 7, S); e.Waking(30, 7); e.In(32, 7); },
            "blocked 0-10, running 10-20, blocked 20-30, ready 30-32, running 32-100"
        },
        {
            "the same without sched_wakeup: a thread that is woken again had slept",
            e => { e.In(10, 7); e.Waking(18, 7); e.Out(20, 7, S); e.Waking(30, 7); e.In(32, 7); },
            "blocked 0-10, running 10-20, blocked 20-30, ready 30-32, running 32-100"
        },
        {
            "woken before it had left, without sched_wakeup: nobody wakes it again, so it was ready; its next sleep is its own",
            e => { e.In(10, 7); e.Waking(18, 7); e.Out(20, 7, S); e.In(25, 7); e.Out(30, 7, S); e.Waking(40, 7); e.In(42, 7); },
            "blocked 0-10, running 10-20, ready 20-25, running 25-30, blocked 30-40, ready 40-42, running 42-100"
        },
        {
            "preempted threads are not woken: a wake-up that says otherwise changes nothing",
            e => { e.In(10, 7); e.Waking(18, 7); e.Out(20, 7, Preempted); e.Waking(22, 7); e.In(25, 7); },
            "blocked 0-10, running 10-20, ready 20-25, running 25-100"
        },
        {
            "a wake-up left over from one stay on the CPU does not end the next sleep",
            e => { e.In(10, 7); e.Waking(18, 7); e.Out(20, 7, Preempted); e.In(25, 7); e.Out(30, 7, S); },
            "blocked 0-10, running 10-20, ready 20-25, running 25-30, blocked 30-100"
        },
        {
            "first event switch-in on an idle CPU: nobody saw its wake-up, but it had not been waiting for a core",
            e => e.In(40, 7),
            "blocked 0-40, running 40-100"
        },
        {
            "first event switch-in after another thread: it was in the run queue, since an unknown time",
            e => e.Switch(40, 0, 8, 1, 7),
            "ready 0-40, running 40-100"
        },
        {
            "first event wake-up: blocked before",
            e => { e.Waking(40, 7); e.In(45, 7); },
            "blocked 0-40, ready 40-45, running 45-100"
        },
        {
            "first event wake-up, then it leaves a CPU to which nobody came: it was running before, and woken in advance",
            e => { e.Waking(5, 7); e.Out(10, 7, S); e.Wakeup(12, 7); e.In(15, 7); },
            "running 0-10, ready 10-15, running 15-100"
        },
        {
            "the same, but the wake-up was over before it left: it slept",
            e => { e.Waking(5, 7); e.Wakeup(6, 7); e.Out(10, 7, S); e.Waking(20, 7); e.In(25, 7); },
            "running 0-10, blocked 10-20, ready 20-25, running 25-100"
        },
        {
            "first event wake-up, then it leaves a CPU where another one was: it came unseen",
            e => { e.In(1, 8); e.Waking(5, 7); e.Out(10, 7, S); e.Waking(20, 7); e.In(25, 7); },
            "blocked 0-5, ready 5-10, blocked 10-20, ready 20-25, running 25-100"
        },
        {
            "first event switch-out: running before",
            e => e.Out(40, 7, S),
            "running 0-40, blocked 40-100"
        },
        {
            "never seen on a CPU: blocked all the time",
            _ => { },
            "blocked 0-100"
        },
        {
            "born in the window: nothing before its birth, blocked until its first wake-up",
            e => { e.Exit(1, 7); e.Out(2, 7, Dead); e.Born(20, 7); e.WakeupNew(22, 7); e.In(25, 7); },
            "running 0-2, blocked 20-22, ready 22-25, running 25-100"
        },
        {
            "it runs on after its exit was announced, and ends with its last switch-out",
            e => { e.In(10, 7); e.Exit(20, 7); e.Out(23, 7, S); e.Waking(24, 7); e.In(26, 7); e.Exit(27, 7); e.Out(30, 7, Dead); },
            "blocked 0-10, running 10-23, blocked 23-24, ready 24-26, running 26-30"
        },
        {
            "preempted after its exit was announced, it comes back to end",
            e => { e.In(10, 7); e.Exit(20, 7); e.Out(23, 7, PreemptedInKernel); e.In(26, 7); e.Out(30, 7, Dead); },
            "blocked 0-10, running 10-23, ready 23-26, running 26-30"
        },
        {
            "its last switch-out was not recorded: it ends where its exit was announced",
            e => { e.In(10, 7); e.Exit(20, 7); },
            "blocked 0-10, running 10-20"
        },
        {
            "the thread id is used again without a death seen: the first life ends at the birth",
            e => { e.In(10, 7); e.Born(50, 7); e.WakeupNew(51, 7); },
            "blocked 0-10, running 10-50, blocked 50-51, ready 51-100"
        },
        {
            "told as existing and then as born: born while the recorder looked around",
            e => { e.Born(5, 7); e.WakeupNew(6, 7); e.In(8, 7); },
            "blocked 5-6, ready 6-8, running 8-100"
        },
        {
            "a change of state that takes no time leaves no interval",
            e => { e.Out(10, 7, S); e.Waking(10, 7); e.In(10, 7); },
            "running 0-100"
        },
        {
            "it left unseen, in an unknown way (prev_state -1): blocked until a wake-up says otherwise",
            e => { e.In(10, 7); e.Out(20, 7, -1); e.Waking(30, 7); e.In(32, 7); },
            "blocked 0-10, running 10-20, blocked 20-30, ready 30-32, running 32-100"
        },
        {
            "woken twice: ready from the first",
            e => { e.Out(10, 7, S); e.Waking(30, 7); e.Waking(33, 7); e.In(35, 7); },
            "running 0-10, blocked 10-30, ready 30-35, running 35-100"
        },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void States_follow_the_events(string what, Action<ISchedulerEvents> events, string expected)
    {
        Assert.Equal(expected, StatesOfSeven(events, windowStart: 0, windowEnd: 100));
        Assert.NotEmpty(what);
    }

    [Theory]
    [MemberData(nameof(Cases))]
    public void A_narrower_window_shows_the_same_states_clipped(string what, Action<ISchedulerEvents> events, string expected)
    {
        var clipped = expected.Split(", ")
            .Select(Interval.Parse)
            .Select(i => i with { Start = Math.Max(i.Start, 15), End = Math.Min(i.End, 60) })
            .Where(i => i.Start < i.End);
        Assert.Equal(string.Join(", ", clipped), StatesOfSeven(events, windowStart: 15, windowEnd: 60));
        Assert.NotEmpty(what);
    }

    private static string StatesOfSeven(Action<ISchedulerEvents> events, long windowStart, long windowEnd) =>
        Scripted.States(Scripted.Run(windowStart, windowEnd, events), 7);
}
