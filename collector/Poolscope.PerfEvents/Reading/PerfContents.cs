using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Notes the processes of a recording's threads, and which events came.</summary>
internal sealed class PerfContents : ISchedulerEvents
{
    private readonly Dictionary<int, int> _owners = [];

    /// <summary>True if a CPU left its idle task: the recording then covers more than the recorded processes.</summary>
    internal bool SawIdle { get; private set; }

    internal bool HasWakeups { get; private set; }

    /// <summary>Returns the process of a thread, or -1 if it is not recorded.</summary>
    internal int OwnerOf(int thread) => _owners.GetValueOrDefault(thread, -1);

    public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid) => SawIdle |= prevTid == 0;

    public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu) => HasWakeups |= wakeup != WakeupEvent.WakeupNew;

    public void ThreadName(long time, int pid, int tid, string name) => _owners[tid] = pid;

    public void ThreadStart(long time, int pid, int tid, int parentTid) => _owners[tid] = pid;
}
