using System.Net;
using System.Net.Sockets;
using Poolscope.Decode.Streams;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Etw.Format;
using Poolscope.Etw.Reading;
using Poolscope.KernelEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>The same scenario as Windows writes it: the payload bytes of CSwitch, ReadyThread, SampledProfile, the thread
/// events and TcpIp, and runtime events under the GUIDs of their manifests.</summary>
/// <param name="pointerSize">Pointer size of the recording machine, bytes.</param>
internal class WindowsSystem(int pointerSize) : IScenarioSystem
{
    private const byte Ready = 1;
    private const byte Terminated = 4;
    private const byte Waiting = 5;
    private const byte DeferredReady = 7;
    private const byte WrUserRequest = 13;
    private const byte WrQuantumEnd = 30;
    private const byte WrPreempted = 32;
    private const byte FromDpc = 1;

    private readonly EtwStream _stream = new(Scenario.Target, 0, Scenario.End);
    private KernelTranslator? _kernel;

    private KernelTranslator Kernel => _kernel ??= new KernelTranslator(_stream.Scheduler, _ => null);

    public virtual IReadOnlyList<Table> Tables()
    {
        _stream.KernelWasRecorded();
        _stream.Scheduler.Finish();
        _stream.Finish(Manifests.Target(launched: false) with { Pid = Scenario.Target }, 0);
        return [.. _stream.Tables(Scenario.Target)];
    }

    public void Exists(int pid, int tid, string name) => Thread(KernelEvent.ThreadExists, 0, 0, tid, pid, tid, name);

    public void Born(long time, int cpu, int author, int pid, int tid, string name)
    {
        Thread(KernelEvent.ThreadStart, time, cpu, author, pid, tid, name: null);
        Write(KernelEvent.ThreadName, time, cpu, tid, pid, tid, name);
    }

    public void Switch(long time, int cpu, int prev, Leaves how, int next)
    {
        var (state, reason) = how switch
        {
            Leaves.Preempted => (DeferredReady, WrPreempted),
            Leaves.QuantumOver => (Ready, WrQuantumEnd),
            Leaves.Ended => (Terminated, (byte)0),
            _ => (Waiting, WrUserRequest),
        };
        const byte userMode = 1;
        Write(
            KernelEvent.Switch, time, cpu, next, next, prev, (sbyte)8, (sbyte)8, (byte)0, (sbyte)0, reason, userMode, state, (sbyte)0, 7, 0);
    }

    public void Wake(long time, int cpu, int waker, int wakee) => Readied(time, cpu, waker, wakee, flags: 0);

    public void WakeByInterrupt(long time, int cpu, int interrupted, int wakee) => Readied(time, cpu, interrupted, wakee, FromDpc);

    public void FirstWake(long time, int cpu, int waker, int wakee) => Readied(time, cpu, waker, wakee, flags: 0);

    public void Sample(long time, int cpu, int pid, int tid) => Write(KernelEvent.Sample, time, cpu, tid, (nint)0x7ff0_1234, tid, 1);

    public void Exits(long time, int cpu, int pid, int tid) => Thread(KernelEvent.ThreadEnd, time, cpu, tid, pid, tid, name: null);

    public void Active(RuntimeProvider provider, int id, long time, int tid, Guid activity, Guid related, params object[] fields) =>
        Tell(Provider(provider), id, time, tid, activity, related, Payload.Of(pointerSize, fields));

    public void Accepted(long time, SocketEndpoints ends) => Begins(TcpReport.Accept, time, ends);

    public void Connects(long time, int tid, SocketEndpoints ends) => Begins(TcpReport.Connect, time, ends);

    public void Arrived(long time, int bytes, SocketEndpoints ends) => Tcp(TcpReport.Received, time, bytes, ends, 4711, (nint)0);

    public void Read(long time, int tid, int bytes, SocketEndpoints ends)
    {
        // Windows writes no event, or only the one for the arrival; which of the two is unknown.
    }

    public void Sent(long time, int tid, int bytes, SocketEndpoints ends) =>
        Tcp(TcpReport.Transmitted, time, bytes, ends, 646659, 646661, 4711, (nint)0);

    public void Closed(long time, SocketEndpoints ends) => Tcp(TcpReport.Disconnect, time, 0, ends, 4711, (nint)0);

    private void Begins(TcpReport report, long time, SocketEndpoints ends) => Tcp(
        report, time, 0, ends, (ushort)1460, (ushort)1, (ushort)0, (ushort)1, 65535, (ushort)8, (ushort)8, 4711, (nint)0);

    private void Tcp(TcpReport report, long time, int bytes, SocketEndpoints ends, params object[] behind) => Tell(
        report,
        ends.Local.AddressFamily == AddressFamily.InterNetworkV6,
        time,
        Payload.Of(
            pointerSize,
            [
                Scenario.Target, bytes, ends.Remote.Address.GetAddressBytes(), ends.Local.Address.GetAddressBytes(),
                Port(ends.Remote), Port(ends.Local), .. behind,
            ]));

    private static byte[] Port(IPEndPoint end) => [(byte)(end.Port >> 8), (byte)end.Port];

    private void Readied(long time, int cpu, int author, int tid, byte flags) =>
        Write(KernelEvent.Ready, time, cpu, author, tid, (sbyte)1, (sbyte)0, flags, (sbyte)0);

    private void Thread(KernelEvent what, long time, int cpu, int author, int pid, int tid, string? name)
    {
        object[] fields = [pid, tid, .. Enumerable.Repeat<object>((nint)0x1000, 7), 0, (byte)8, (byte)5, (byte)2, (byte)0];
        Write(what, time, cpu, author, name is null ? fields : [.. fields, name]);
    }

    private void Write(KernelEvent what, long time, int cpu, int author, params object[] fields) =>
        Tell(what, time, cpu, author, Payload.Of(pointerSize, fields));

    protected virtual void Tell(KernelEvent what, long time, int cpu, int author, byte[] payload) =>
        Kernel.Translate(what, time, cpu, pid: -1, author, pointerSize, payload);

    protected virtual void Tell(TcpReport report, bool ipv6, long time, byte[] payload) => Kernel.TranslateTcp(report, ipv6, time, payload);

    protected virtual void Tell(Guid provider, int id, long time, int tid, Guid activity, Guid related, byte[] payload) =>
        _stream.Event(provider, id, time, tid, activity, related, pointerSize, payload);

    private static Guid Provider(RuntimeProvider provider) => Guid.Parse(provider switch
    {
        RuntimeProvider.Framework => "8e9f5090-2d75-4d03-8a81-e5afbf85daf1",
        RuntimeProvider.Hosting => RuntimeGuids.Hosting,
        RuntimeProvider.Kestrel => RuntimeGuids.Kestrel,
        RuntimeProvider.HttpCalls => RuntimeGuids.HttpCalls,
        RuntimeProvider.Tpl => "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5",
        _ => "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4",
    });
}
