using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Notes whose threads a recording tells of, and which events came.</summary>
internal sealed class PerfContents : ISchedulerEvents
{
    private readonly Dictionary<int, int> _owners = [];

    /// <summary>A CPU left its idle task: what happens outside of the recorded processes is reported.</summary>
    internal bool SawIdle { get; private set; }

    internal bool HasWakeups { get; private set; }

    /// <summary>The process of a thread; -1: not reported.</summary>
    internal int OwnerOf(int thread) => _owners.GetValueOrDefault(thread, -1);

    public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => SawIdle |= prevTid == 0;

    public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu) => HasWakeups |= wakeup != WakeupEvent.WakeupNew;

    public void ThreadName(long time, int pid, int tid, string name) => _owners[tid] = pid;

    public void ThreadStart(long time, int pid, int tid, int parentTid) => _owners[tid] = pid;
}
