using Poolscope.Decode.Scheduler;
using Poolscope.KernelEvents;
using ThreadState = Poolscope.Decode.Scheduler.ThreadState;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>How a thread began to wait for a CPU, according to the events.</summary>
internal enum WaitBegan
{
    /// <summary>The thread was not ready before it ran.</summary>
    NoWait,

    /// <summary>sched_waking or sched_wakeup_new came while the thread was off the CPUs.</summary>
    Woken,

    /// <summary>The thread left its CPU runnable.</summary>
    Preempted,

    /// <summary>The thread left to sleep, but sched_waking had come while it was still on its CPU.</summary>
    WokenInAdvance,

    /// <summary>Only sched_wakeup was reported: a silent task had done the waking.</summary>
    OnlyCompleted,
}

/// <summary>A thread on a CPU, from switch-in to switch-out. Times in ns.</summary>
/// <param name="Off">Time since the previous stay; null for the first.</param>
/// <param name="Ready">The part of that time in which the thread was ready.</param>
/// <param name="Unseen">Whether only the record of the perf core, and no sched_switch, shows the beginning.</param>
internal readonly record struct Stay(long Start, long End, long? Off, long Ready, WaitBegan Began, bool Unseen);

/// <summary>Returns the stays of one thread at a time, after one pass over the events.</summary>
internal sealed class Stays
{
    private readonly SchedulerTables _tables;
    private readonly Dictionary<(int Tid, long Time), int> _departures = [];
    private readonly HashSet<(int Tid, long Time)> _unseen = [];
    private readonly Dictionary<(int Tid, long Time), WakeupEvent> _wakeups = [];

    internal Stays(SchedulerTables tables)
    {
        _tables = tables;
        var switches = tables.Switches;
        for (var row = 0; row < switches.Count; row++)
        {
            var (time, state) = (switches.Int64("time")[row], switches.Int32("prev_state")[row]);
            _departures.TryAdd((switches.Int32("prev_tid")[row], time), state);
            if (state == -1)
            {
                _unseen.Add((switches.Int32("next_tid")[row], time));
            }
        }

        var wakeups = tables.Wakeups;
        for (var row = 0; row < wakeups.Count; row++)
        {
            _wakeups.TryAdd((wakeups.Int32("wakee_tid")[row], wakeups.Int64("time")[row]), (WakeupEvent)wakeups.Enum("event")[row]);
        }
    }

    internal IReadOnlyList<Stay> Of(int tid)
    {
        var states = _tables.ThreadStates;
        var stays = new List<Stay>();
        (long Start, long Length)? ready = null;
        foreach (var row in Enumerable.Range(0, states.Count).Where(row => states.Int32("tid")[row] == tid))
        {
            var (start, end) = (states.Int64("start")[row], states.Int64("end")[row]);
            switch ((ThreadState)states.Enum("state")[row])
            {
                case ThreadState.Running:
                    stays.Add(new Stay(
                        start,
                        end,
                        stays is [.., var before] ? start - before.End : null,
                        ready?.Length ?? 0,
                        ready is { } wait ? Began(tid, wait.Start, stays) : WaitBegan.NoWait,
                        _unseen.Contains((tid, start))));
                    ready = null;
                    break;
                case ThreadState.Ready:
                    ready = (start, end - start);
                    break;
                default:
                    ready = null;
                    break;
            }
        }

        return stays;
    }

    private WaitBegan Began(int tid, long time, IReadOnlyList<Stay> before)
    {
        if (_wakeups.TryGetValue((tid, time), out var wakeup))
        {
            return wakeup == WakeupEvent.Wakeup ? WaitBegan.OnlyCompleted : WaitBegan.Woken;
        }

        // 0 and 0x100: runnable, on return to user space or inside the kernel.
        if (_departures.TryGetValue((tid, time), out var state) && state is 0 or 0x100)
        {
            return WaitBegan.Preempted;
        }

        var woken = before is [.., var last] && _wakeups.Any(w =>
            w.Key.Tid == tid && w.Value == WakeupEvent.Waking && w.Key.Time >= last.Start && w.Key.Time <= last.End);
        return woken ? WaitBegan.WokenInAdvance : throw new InvalidOperationException($"thread {tid} is ready at {time}, and no event says why");
    }
}
