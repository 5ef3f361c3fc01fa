using System.Runtime.InteropServices;
using Poolscope.KernelEvents;

namespace Poolscope.Decode.Scheduler;

/// <summary>Tracks every thread's state through the scheduler's events. The idle task (thread id 0) has no
/// state.</summary>
internal sealed class ThreadHistories
{
    // prev_state shows how a thread left its CPU (include/trace/events/sched.h). It is running (0) for a thread
    // preempted on return to user space, and has a bit for one preempted inside the kernel.
    private const int PreemptedInKernel = 0x100;
    private const int DeadOrZombie = 0x10 | 0x20;

    // Two records of one birth are written microseconds apart, and the kernel reuses no id that soon.
    private const long SameBirthNs = 1_000_000;

    private readonly LivingThreads _living = new();
    private readonly List<ThreadHistory> _all = [];
    private readonly Dictionary<int, long> _lastEnd = [];
    private readonly List<Cpu> _cpus = [];

    /// <summary>All histories, by thread id, then by birth.</summary>
    internal IEnumerable<ThreadHistory> Ordered => _all.OrderBy(h => h.Tid).ThenBy(h => h.Start);

    internal void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
        ref var core = ref At(cpu);

        // If the leaving thread is not the one that came last, a switch is missing: in this CPU's latest gap, if there
        // was one since. Without a gap the time of the switch is unknown, and the thread gets no time.
        var unseen = core.LastBeforeGap >= core.LastSwitch ? core.LastBeforeGap : time;
        if (core.Known && core.Tid != prevTid && core.Tid != 0
            && _living.TryFind(core.Tid, out var vanished)
            && vanished.Cpu == cpu && vanished.Changes > 0 && vanished.State == ThreadState.Running)
        {
            vanished.Enter(unseen, ThreadState.Blocked);
        }

        if (prevTid != 0)
        {
            var prev = Living(prevTid);
            if (prev.OnlyWoken && !core.Known && core.LastBeforeGap < 0)
            {
                prev.RanAllAlong(); // no switch on this CPU since the recording began: the waker found the thread running
            }

            SwitchOut(prev, time, prevState, unseen);
        }

        if (nextTid != 0)
        {
            var next = Living(nextTid);
            // Without a recorded wake-up the thread was already in the run queue. But an idle CPU would have run it at
            // once, so there the wake-up record is missing and the thread was woken just now.
            next.Assume(prevTid == 0 ? ThreadState.Blocked : ThreadState.Ready);
            next.Enter(time, ThreadState.Running);
            next.WakePending = false;
            next.OnlyWoken = false;
            next.Cpu = cpu;
        }

        core = new Cpu(true, nextTid, time, core.LastBeforeGap);
    }

    /// <summary>Records a switch-in. The event names neither the previous thread nor the wake-up: the thread was
    /// blocked or preempted before.</summary>
    internal void ThreadIn(long time, int cpu, int pid, int tid)
    {
        var thread = Living(tid);
        thread.Pid = pid;
        thread.Assume(ThreadState.Blocked);
        if (thread.State == ThreadState.Running && GapSince(thread) is { } gap)
        {
            thread.Enter(gap, ThreadState.Blocked); // its switch-out was lost
        }

        thread.Enter(time, ThreadState.Running);
        thread.Cpu = cpu;
    }

    /// <summary>Records a switch-out. The event does not name the next thread.</summary>
    internal void ThreadOut(long time, int cpu, int pid, int tid, bool preempted)
    {
        var thread = Living(tid);
        thread.Pid = pid;
        thread.Assume(ThreadState.Running);
        thread.Cpu = cpu;
        if (thread.State != ThreadState.Running && GapSince(thread) is { } gap)
        {
            thread.Enter(gap, ThreadState.Running); // its switch-in was lost
        }

        // A thread that is recorded twice shows each switch twice; the second one changes nothing.
        thread.Enter(time, preempted ? ThreadState.Ready : ThreadState.Blocked);
    }

    internal void Wakeup(long time, WakeupEvent wakeup, int tid)
    {
        if (tid == 0)
        {
            return;
        }

        var thread = Living(tid);
        thread.OnlyWoken |= thread.Changes == 0;
        thread.Assume(ThreadState.Blocked);
        if (thread.OnlyWoken)
        {
            thread.WakePending = wakeup == WakeupEvent.Waking; // the thread may turn out to have been running
            thread.Enter(time, ThreadState.Ready);
        }
        else if (thread.State == ThreadState.Running)
        {
            // The waker found the thread before it had left its CPU. If the wake-up completes in time, the thread never
            // leaves, and a later sleep is separate; otherwise the thread leaves and is ready at once. A recorded
            // sched_wakeup decides now, otherwise the next wake-up decides afterwards.
            thread.WakePending = wakeup == WakeupEvent.Waking;
        }
        else if (thread.WokenInAdvance && wakeup == WakeupEvent.Waking)
        {
            // A ready thread is not woken. The thread slept, so the previous wake-up had completed before it left.
            thread.SleptAfterAll();
            thread.Enter(time, ThreadState.Ready);
        }
        else
        {
            thread.Enter(time, ThreadState.Ready);
        }
    }

    internal void Name(int pid, int tid, string name)
    {
        if (tid != 0)
        {
            var thread = Living(tid);
            thread.Pid = pid;
            thread.Name = name;
        }
    }

    internal void Started(long time, int pid, int tid, int parentTid)
    {
        // A thread born while the recorder described the existing ones is reported twice. If a thread with events is
        // born again, the end of its predecessor was not recorded.
        if (_living.TryFind(tid, out var known) && known.Changes > 0)
        {
            if (known.Start >= 0 && known.ExitTime < 0 && time - known.Start < SameBirthNs)
            {
                return; // the parent is recorded twice
            }

            Ended(known, known.ExitTime >= 0 ? known.ExitTime : time);
        }

        var thread = Living(tid);
        thread.Pid = pid;
        thread.Name ??= _living.Find(parentTid)?.Name;
        thread.Born(time);
    }

    internal void Exited(long time, int pid, int tid)
    {
        // The last switch-out is still to come. A second exit event changes nothing.
        if (_living.TryFind(tid, out var thread) && thread.ExitTime < 0)
        {
            thread.ExitTime = time;
            thread.Pid = thread.Pid < 0 ? pid : thread.Pid;
        }
    }

    internal void Gap(int cpu, long lastBefore)
    {
        ref var core = ref At(cpu);
        core = core with { LastBeforeGap = Math.Max(core.LastBeforeGap, lastBefore) };
    }

    /// <summary>Takes a thread's process from a sample if no other event named it.</summary>
    internal void Seen(int pid, int tid)
    {
        if (tid > 0 && _living.TryFind(tid, out var thread) && thread.Pid < 0)
        {
            thread.Pid = pid;
        }
    }

    /// <summary>Ends the threads whose last switch-out was not recorded. A thread without events counts as blocked
    /// throughout.</summary>
    internal void Finish()
    {
        foreach (var thread in _living.All.ToList())
        {
            thread.Assume(ThreadState.Blocked);
            if (thread.ExitTime >= 0)
            {
                Ended(thread, thread.ExitTime);
            }
        }
    }

    private void SwitchOut(ThreadHistory thread, long time, int prevState, long unseen)
    {
        thread.Assume(ThreadState.Running);
        if (thread.State != ThreadState.Running)
        {
            thread.Enter(unseen, ThreadState.Running); // its switch-in was lost
            thread.WakePending = false;
        }

        if (prevState > 0 && (prevState & DeadOrZombie) != 0)
        {
            Ended(thread, time);
        }
        else
        {
            var runnable = prevState == 0 || (prevState > 0 && (prevState & PreemptedInKernel) != 0);
            var woken = !runnable && thread.WakePending;
            thread.Enter(time, runnable || woken ? ThreadState.Ready : ThreadState.Blocked);
            thread.WokenInAdvance = woken;
        }

        thread.WakePending = false;
        thread.OnlyWoken = false;
    }

    private void Ended(ThreadHistory thread, long time)
    {
        thread.Died(time);
        _living.Remove(thread.Tid);
        _lastEnd[thread.Tid] = thread.End;
    }

    /// <summary>Returns the start of the latest gap on the thread's CPU since the thread's last change; null if there
    /// is none.</summary>
    private long? GapSince(ThreadHistory thread) =>
        thread.Cpu >= 0 && At(thread.Cpu).LastBeforeGap is var gap && gap >= thread.LastChange ? gap : null;

    private ThreadHistory Living(int tid)
    {
        if (_living.TryFind(tid, out var known))
        {
            return known;
        }

        var thread = new ThreadHistory(tid, _lastEnd.GetValueOrDefault(tid, -1));
        _living.Add(thread);
        _all.Add(thread);
        return thread;
    }

    private ref Cpu At(int cpu)
    {
        while (_cpus.Count <= cpu)
        {
            _cpus.Add(new Cpu(false, 0, 0, -1));
        }

        return ref CollectionsMarshal.AsSpan(_cpus)[cpu];
    }

    /// <param name="Known">Whether the thread on this CPU is known.</param>
    private readonly record struct Cpu(bool Known, int Tid, long LastSwitch, long LastBeforeGap);
}
