using Poolscope.KernelEvents;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>How a thread leaves its core.</summary>
internal enum Leaves
{
    Preempted,
    QuantumOver,
    Blocked,
    Ended,
}

/// <summary>Reports the steps of a scenario as an operating system and a runtime do. Each system has its own
/// events.</summary>
internal interface IScenarioSystem
{
    void Exists(int pid, int tid, string name);

    void Born(long time, int cpu, int author, int pid, int tid, string name);

    /// <param name="prev">Thread that leaves; 0 if idle.</param>
    /// <param name="next">Thread that comes; 0 if idle.</param>
    void Switch(long time, int cpu, int prev, Leaves how, int next);

    void Wake(long time, int cpu, int waker, int wakee);

    void WakeByInterrupt(long time, int cpu, int interrupted, int wakee);

    void FirstWake(long time, int cpu, int waker, int wakee);

    void Sample(long time, int cpu, int pid, int tid);

    void Exits(long time, int cpu, int pid, int tid);

    /// <summary>Reports an event of the runtime. Its payload is the same on every system.</summary>
    void Runtime(RuntimeProvider provider, int id, long time, int tid, params object[] fields) =>
        Active(provider, id, time, tid, Guid.Empty, Guid.Empty, fields);

    /// <summary>Reports an event of an activity that began in another one.</summary>
    void Active(RuntimeProvider provider, int id, long time, int tid, Guid activity, Guid related, params object[] fields);

    /// <summary>Reports that a client connected to the target.</summary>
    void Accepted(long time, SocketEndpoints ends);

    /// <summary>Reports that a thread of the target opens a connection.</summary>
    void Connects(long time, int tid, SocketEndpoints ends);

    void Arrived(long time, int bytes, SocketEndpoints ends);

    void Read(long time, int tid, int bytes, SocketEndpoints ends);

    void Sent(long time, int tid, int bytes, SocketEndpoints ends);

    void Closed(long time, SocketEndpoints ends);
}

internal enum RuntimeProvider
{
    Clr,
    Framework,
    Tpl,
    Hosting,
    Kestrel,
    HttpCalls,
}
