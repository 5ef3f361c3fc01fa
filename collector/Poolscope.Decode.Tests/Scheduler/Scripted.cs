using Poolscope.Decode.Scheduler;
using Poolscope.Decode.Sockets;
using Poolscope.KernelEvents;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>Events and states in short form. The target is process 1; thread 7 is one of its threads, on CPU
/// 0.</summary>
internal static class Scripted
{
    internal const int Target = 1;

    private static readonly string[] Names = ["running", "ready", "blocked"];

    internal static SchedulerTables Run(long windowStart, long windowEnd, Action<ISchedulerEvents> events, IReadOnlyList<OpenConnection>? open = null)
    {
        var tables = new SchedulerTables(Target, windowStart, windowEnd) { OpenBefore = open ?? [] };
        ((ISchedulerEvents)tables).ThreadName(0, Target, 7, "seven");
        events(tables);
        tables.Finish();
        return tables;
    }

    /// <summary>Formats states as "running 0-10, blocked 10-30", with a resolution other than 0 as "running 0-10
    /// (±5)".</summary>
    internal static string States(SchedulerTables tables, int tid)
    {
        var states = tables.ThreadStates;
        return string.Join(", ", Enumerable.Range(0, states.Count)
            .Where(row => states.Int32("tid")[row] == tid)
            .Select(row =>
            {
                var resolution = states.Int64("resolution")[row];
                return new Interval(Names[states.Enum("state")[row]], states.Int64("start")[row], states.Int64("end")[row])
                    + (resolution == 0 ? "" : $" (±{resolution})");
            }));
    }

    internal static void In(this ISchedulerEvents events, long time, int tid) => events.Switch(time, 0, 0, 0, tid);

    internal static void Out(this ISchedulerEvents events, long time, int tid, int state) => events.Switch(time, 0, tid, state, 0);

    internal static void Waking(this ISchedulerEvents events, long time, int tid) =>
        events.Wakeup(time, 1, WakeupEvent.Waking, 9, tid, 0);

    internal static void Wakeup(this ISchedulerEvents events, long time, int tid) =>
        events.Wakeup(time, 1, WakeupEvent.Wakeup, -1, tid, 0);

    internal static void WakeupNew(this ISchedulerEvents events, long time, int tid) =>
        events.Wakeup(time, 1, WakeupEvent.WakeupNew, 9, tid, 0);

    internal static void OwnIn(this ISchedulerEvents events, long time, int tid) => events.ThreadIn(time, 0, Target, tid);

    internal static void OwnOut(this ISchedulerEvents events, long time, int tid, bool preempted) =>
        events.ThreadOut(time, 0, Target, tid, preempted);

    internal static void Born(this ISchedulerEvents events, long time, int tid) => events.ThreadStart(time, Target, tid, Target);

    internal static void Exit(this ISchedulerEvents events, long time, int tid) => events.ThreadExit(time, Target, tid);
}

internal readonly record struct Interval(string State, long Start, long End)
{
    public override string ToString() => $"{State} {Start}-{End}";

    internal static Interval Parse(string text)
    {
        var parts = text.Split(' ', '-');
        return new Interval(parts[0], long.Parse(parts[1]), long.Parse(parts[2]));
    }
}
