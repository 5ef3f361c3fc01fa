using Poolscope.KernelEvents;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>Passes every event on; a test overrides what it counts or holds back.</summary>
internal abstract class PassingOn(ISchedulerEvents next) : ISchedulerEvents
{
    public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => next.Switch(time, cpu, prevTid, prevState, nextTid);

    public void ThreadIn(long time, int cpu, int pid, int tid) => next.ThreadIn(time, cpu, pid, tid);

    public void ThreadOut(long time, int cpu, int pid, int tid, bool preempted) => next.ThreadOut(time, cpu, pid, tid, preempted);

    public virtual void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu) =>
        next.Wakeup(time, cpu, wakeup, waker, wakee, targetCpu);

    public void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack) => next.Sample(time, cpu, pid, tid, userStack);

    public void Mapping(long time, int pid, ulong address, ulong length, ulong fileOffset, string name) =>
        next.Mapping(time, pid, address, length, fileOffset, name);

    public void ThreadName(long time, int pid, int tid, string name) => next.ThreadName(time, pid, tid, name);

    public void ThreadStart(long time, int pid, int tid, int parentTid) => next.ThreadStart(time, pid, tid, parentTid);

    public virtual void ThreadExit(long time, int pid, int tid) => next.ThreadExit(time, pid, tid);

    public void Lost(long after, long before, int cpu, long count) => next.Lost(after, before, cpu, count);

    public void SamplesThrottled(long start, long end, int cpu) => next.SamplesThrottled(start, end, cpu);
}
