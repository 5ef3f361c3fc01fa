using Poolscope.Decode.Streams;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Etw.Format;
using Poolscope.Etw.Reading;
using Poolscope.Tables;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>The same scenario as Windows writes it: the payload bytes of CSwitch, ReadyThread, SampledProfile and the thread
/// events, and runtime events under the GUIDs of their manifests.</summary>
/// <param name="pointerSize">Of the recording machine.</param>
internal sealed class WindowsSystem(int pointerSize) : IScenarioSystem
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

    public IReadOnlyList<Table> Tables()
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

    public void Runtime(RuntimeProvider provider, int id, long time, int tid, params object[] fields) =>
        _stream.Event(Provider(provider), id, time, tid, pointerSize, Payload.Of(pointerSize, fields));

    private void Readied(long time, int cpu, int author, int tid, byte flags) =>
        Write(KernelEvent.Ready, time, cpu, author, tid, (sbyte)1, (sbyte)0, flags, (sbyte)0);

    private void Thread(KernelEvent what, long time, int cpu, int author, int pid, int tid, string? name)
    {
        object[] fields = [pid, tid, .. Enumerable.Repeat<object>((nint)0x1000, 7), 0, (byte)8, (byte)5, (byte)2, (byte)0];
        Write(what, time, cpu, author, name is null ? fields : [.. fields, name]);
    }

    private void Write(KernelEvent what, long time, int cpu, int author, params object[] fields)
    {
        _kernel ??= new KernelTranslator(_stream.Scheduler, _ => null);
        _kernel.Translate(what, time, cpu, pid: -1, author, pointerSize, Payload.Of(pointerSize, fields));
    }

    private static Guid Provider(RuntimeProvider provider) => Guid.Parse(provider switch
    {
        RuntimeProvider.Framework => "8e9f5090-2d75-4d03-8a81-e5afbf85daf1",
        RuntimeProvider.Tpl => "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5",
        _ => "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4",
    });
}
