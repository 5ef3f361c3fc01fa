using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Pool;
using Poolscope.Decode.Runtime;
using Poolscope.Decode.Scheduler;
using Poolscope.Decode.Tests.Captures;
using Poolscope.KernelEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>A scenario as tracepoints and EventPipe report it.</summary>
internal sealed class LinuxSystem : IScenarioSystem
{
    private const int Sleeping = 1;
    private const int Dead = 0x10;

    private readonly SchedulerTables _scheduler = new(Scenario.Target, 0, Scenario.End);
    private readonly RuntimeTables _runtime = new();
    private readonly EventDecoder _decoder;

    public LinuxSystem() => _decoder = new EventDecoder(_runtime);

    private ISchedulerEvents Kernel => _scheduler;

    public IReadOnlyList<Table> Tables()
    {
        _scheduler.Finish();
        _runtime.Finish(
            Manifests.Target(launched: false) with { Pid = Scenario.Target }, 0, new ThreadExits(_scheduler.Threads).Of, _scheduler.RunningIntervals);
        return [_scheduler.Switches, _scheduler.Wakeups, _scheduler.CpuSamples, _scheduler.Threads, _scheduler.ThreadStates, _scheduler.Sockets, _scheduler.SocketTransfers, .. _runtime.Tables()];
    }

    public void Exists(int pid, int tid, string name) => Kernel.ThreadName(0, pid, tid, name);

    public void Born(long time, int cpu, int author, int pid, int tid, string name)
    {
        Kernel.ThreadStart(time, pid, tid, author);
        Kernel.ThreadName(time, pid, tid, name);
    }

    public void Switch(long time, int cpu, int prev, Leaves how, int next) => Kernel.Switch(time, cpu, prev, State(prev, how), next);

    public void Wake(long time, int cpu, int waker, int wakee)
    {
        Kernel.Wakeup(time, cpu, WakeupEvent.Waking, waker, wakee, 0);
        Kernel.Wakeup(time, cpu, WakeupEvent.Wakeup, -1, wakee, 0);
    }

    public void WakeByInterrupt(long time, int cpu, int interrupted, int wakee)
    {
        Kernel.Wakeup(time, cpu, WakeupEvent.Waking, -1, wakee, 0);
        Kernel.Wakeup(time, cpu, WakeupEvent.Wakeup, -1, wakee, 0);
    }

    public void FirstWake(long time, int cpu, int waker, int wakee) => Kernel.Wakeup(time, cpu, WakeupEvent.WakeupNew, waker, wakee, 0);

    public void Sample(long time, int cpu, int pid, int tid) => Kernel.Sample(time, cpu, pid, tid, []);

    public void Exits(long time, int cpu, int pid, int tid) => Kernel.ThreadExit(time, pid, tid);

    public void Active(RuntimeProvider provider, int id, long time, int tid, Guid activity, Guid related, params object[] fields) =>
        _decoder.Decode(new RawEvent(Provider(provider), id, time, tid, 8, Payload.Of(8, fields), threads: null, activity, related));

    public void Accepted(long time, SocketEndpoints ends)
    {
        Kernel.SocketState(time, 99, 98, Address(ends), TcpState.Listen, TcpState.SynReceived, ends);
        Kernel.SocketState(time, 99, 98, Address(ends), TcpState.SynReceived, TcpState.Established, ends);
    }

    public void Connects(long time, int tid, SocketEndpoints ends)
    {
        Kernel.SocketState(time, Scenario.Target, tid, Address(ends), TcpState.Closed, TcpState.SynSent, ends);
        Kernel.SocketState(time + 1, 99, 98, Address(ends), TcpState.SynSent, TcpState.Established, ends);
    }

    public void Arrived(long time, int bytes, SocketEndpoints ends) => Kernel.SocketArrival(time, Address(ends), bytes, ends);

    public void Read(long time, int tid, int bytes, SocketEndpoints ends) => Kernel.SocketRead(time, Scenario.Target, tid, Address(ends), bytes);

    public void Sent(long time, int tid, int bytes, SocketEndpoints ends) => Kernel.SocketSend(time, Scenario.Target, tid, Address(ends), bytes);

    public void Closed(long time, SocketEndpoints ends) =>
        Kernel.SocketState(time, 99, 98, Address(ends), TcpState.LastAck, TcpState.Closed, ends);

    // The kernel's own address. No two open connections share it.
    private static ulong Address(SocketEndpoints ends) => 0xffff_8881_0000_0000 + (ulong)ends.Remote.Port;

    // The state of the idle task means nothing in the tables; Linux calls it running.
    private static int State(int prev, Leaves how) => how switch
    {
        _ when prev == 0 => Sleeping,
        Leaves.Preempted => 0,
        Leaves.QuantumOver => 0,
        Leaves.Ended => Dead,
        _ => Sleeping,
    };

    // Nettrace has only names, which TraceEvent hashes.
    private static Guid Provider(RuntimeProvider provider) => Guid.Parse(provider switch
    {
        RuntimeProvider.Framework => "55289187-7f82-5b3d-82d7-eb779e673075",
        RuntimeProvider.Hosting => RuntimeGuids.Hosting,
        RuntimeProvider.Kestrel => RuntimeGuids.Kestrel,
        RuntimeProvider.HttpCalls => RuntimeGuids.HttpCalls,
        RuntimeProvider.Tpl => "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5",
        _ => "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4",
    });
}
