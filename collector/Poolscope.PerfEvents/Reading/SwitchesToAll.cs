using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Passes the events for a first look at a recording to each of several sinks: switches, wake-ups, and the
/// names and processes of threads.</summary>
internal sealed class SwitchesToAll(params IReadOnlyList<ISchedulerEvents> sinks) : ISchedulerEvents
{
    public void Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
        foreach (var sink in sinks)
        {
            sink.Switch(time, cpu, prevTid, prevState, nextTid);
        }
    }

    public void Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
    {
        foreach (var sink in sinks)
        {
            sink.Wakeup(time, cpu, wakeup, waker, wakee, targetCpu);
        }
    }

    public void ThreadName(long time, int pid, int tid, string name)
    {
        foreach (var sink in sinks)
        {
            sink.ThreadName(time, pid, tid, name);
        }
    }

    public void ThreadStart(long time, int pid, int tid, int parentTid)
    {
        foreach (var sink in sinks)
        {
            sink.ThreadStart(time, pid, tid, parentTid);
        }
    }
}
