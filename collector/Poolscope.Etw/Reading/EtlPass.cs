using System.Buffers.Binary;
using Poolscope.Etl.Format;
using Poolscope.Etw.Format;
using Poolscope.KernelEvents;

namespace Poolscope.Etw.Reading;

/// <summary>Reads a raw trace once: identifies each event and passes its bytes on.</summary>
internal sealed class EtlPass(
    EtlClock clock,
    int pid,
    KernelTranslator kernel,
    ISchedulerEvents scheduler,
    IRuntimeEventStream runtime,
    Func<Guid, int, bool> stackOf)
{
    private readonly EtlStacks _stacks = new();

    public long Events { get; private set; }

    public void Take(EtlEvent e)
    {
        Events++;
        if (e.Hook is { } hook)
        {
            Kernel(hook, e);
        }
        else if (e.Kind == HeaderKind.Manifest && e.Pid == pid)
        {
            Runtime(e);
        }
    }

    /// <summary>Delivers the stacks, which have to wait for the last event.</summary>
    public void Finish() => _stacks.Deliver(runtime);

    private void Runtime(EtlEvent e)
    {
        var (provider, id, tid) = (e.Provider, e.Id, e.Tid);
        if (stackOf(provider, id))
        {
            _stacks.Of(provider, id, e.Time, tid, e.Stack, e.StackPointerSize, e.StackKey);
        }

        runtime.Event(provider, id, e.Time, tid, e.Activity, e.Related, e.PointerSize, e.Payload);
    }

    private void Kernel(ushort hook, EtlEvent e)
    {
        switch (hook)
        {
            case KernelHooks.Switch:
                Switch(e);
                break;
            case KernelHooks.Ready:
                Translate(KernelEvent.Ready, e);
                break;
            case KernelHooks.Sample:
                Translate(KernelEvent.Sample, e);
                break;
            case KernelHooks.ThreadExists or KernelHooks.ThreadExistsAtEnd:
                Translate(KernelEvent.ThreadExists, e);
                break;
            case KernelHooks.ThreadStart:
                Translate(KernelEvent.ThreadStart, e);
                break;
            case KernelHooks.ThreadEnd:
                Translate(KernelEvent.ThreadEnd, e);
                break;
            case KernelHooks.ThreadName:
                Translate(KernelEvent.ThreadName, e);
                break;
            case KernelHooks.StackWalk or KernelHooks.StackKeyUser when StackPayload.Read(e.Payload) is { } stack && stack.Pid == pid:
                Stack(hook, stack, e);
                break;
            case KernelHooks.StackKeyDeleted or KernelHooks.StackKeyRundown when e.Payload.Length > StackPayload.DefinitionBytes:
                _stacks.Defined(BinaryPrimitives.ReadUInt64LittleEndian(e.Payload), e.Payload[StackPayload.DefinitionBytes..], e.PointerSize);
                break;
            case KernelHooks.ImageLoad or KernelHooks.ImageExists or KernelHooks.ImageExistsAtEnd:
                Image(hook, e);
                break;
            default:
                Tcp(hook, e);
                break;
        }
    }

    private void Translate(KernelEvent what, EtlEvent e) => kernel.Translate(what, e.Time, e.Cpu, e.Pid, e.Tid, e.PointerSize, e.Payload);

    /// <summary>Handles a switch. Its stack is that of the arriving thread: the place where the thread had left its
    /// core.</summary>
    private void Switch(EtlEvent e)
    {
        Translate(KernelEvent.Switch, e);
        if (SwitchPayload.Read(e.Payload) is { NewTid: var tid } && kernel.TakeBlock(tid, pid) is { } since)
        {
            _stacks.Blocked(e.Time, tid, since);
        }
    }

    private void Stack(ushort hook, StackPayload stack, EtlEvent e)
    {
        var time = clock.Nanoseconds(stack.Ticks);
        var rest = e.Payload[StackPayload.Bytes..];
        if (hook == KernelHooks.StackWalk)
        {
            _stacks.Walked(time, stack.Tid, rest, e.PointerSize);
        }
        else if (rest.Length >= e.PointerSize)
        {
            _stacks.Keyed(time, stack.Tid, e.PointerSize == sizeof(ulong) ? BinaryPrimitives.ReadUInt64LittleEndian(rest) : BinaryPrimitives.ReadUInt32LittleEndian(rest));
        }
    }

    private void Image(ushort hook, EtlEvent e)
    {
        if (ImagePayload.Read(e.Payload, e.Version, e.PointerSize) is { Path: { } path } image && image.Pid == pid)
        {
            scheduler.Mapping(hook == KernelHooks.ImageLoad ? e.Time : 0, pid, image.Base, image.Size, fileOffset: 0, path);
        }
    }

    private void Tcp(ushort hook, EtlEvent e)
    {
        var ipv6 = (hook & KernelHooks.TcpVersion6) != 0;
        TcpReport? report = (hook & ~KernelHooks.TcpVersion6) switch
        {
            KernelHooks.TcpSend => TcpReport.Transmitted,
            KernelHooks.TcpReceive => TcpReport.Received,
            KernelHooks.TcpConnect => TcpReport.Connect,
            KernelHooks.TcpDisconnect => TcpReport.Disconnect,
            KernelHooks.TcpRetransmit => TcpReport.Retransmitted,
            KernelHooks.TcpAccept => TcpReport.Accept,
            _ => null,
        };
        if (report is { } what)
        {
            kernel.TranslateTcp(what, ipv6, e.Time, e.Payload);
        }
    }
}
