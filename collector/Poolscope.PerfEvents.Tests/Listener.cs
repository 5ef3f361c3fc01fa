namespace Poolscope.PerfEvents.Tests;

/// <summary>Hears every event and does nothing; a test overrides what it looks at.</summary>
internal abstract class Listener : ISchedulerEvents
{
    public virtual void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
    }

    public virtual void ThreadIn(long time, int cpu, int pid, int tid)
    {
    }

    public virtual void ThreadOut(long time, int cpu, int pid, int tid, bool preempted)
    {
    }

    public virtual void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
    {
    }

    public virtual void Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack)
    {
    }

    public virtual void Mapping(long time, int pid, ulong address, ulong length, ulong fileOffset, string name)
    {
    }

    public virtual void ThreadName(long time, int pid, int tid, string name)
    {
    }

    public virtual void ThreadStart(long time, int pid, int tid, int parentTid)
    {
    }

    public virtual void ThreadExit(long time, int pid, int tid)
    {
    }

    public virtual void Lost(long after, long before, int cpu, long count)
    {
    }

    public virtual void SamplesThrottled(long start, long end, int cpu)
    {
    }
}
