using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Etlx;
using Microsoft.Diagnostics.Tracing.Parsers;
using Microsoft.Diagnostics.Tracing.Parsers.Kernel;
using Poolscope.Etw.Format;
using Poolscope.KernelEvents;

namespace Poolscope.Etw.Reading;

/// <summary>Reads a trace once: identifies each event and passes its bytes on.</summary>
internal sealed class TracePass(
    TraceLog log,
    QpcClock clock,
    int pid,
    IRuntimeEventStream runtime,
    Func<Guid, int, bool> stackOf,
    CancellationToken cancellation)
{
    private const int CancellationStep = 1 << 16;

    private readonly Dictionary<CodeAddressIndex, TraceFrame> _frames = [];
    private readonly List<TraceFrame> _stack = [];
    private byte[] _payload = new byte[256];

    public long Events { get; private set; }

    /// <summary>Subscribes to the events. TraceEvent identifies a kernel event by its class and opcode, so a handler
    /// receives only that event.</summary>
    public void Subscribe(TraceEventDispatcher source, KernelTranslator kernel)
    {
        source.Kernel.ThreadCSwitch += e => Switch(kernel, e);
        source.Kernel.DispatcherReadyThread += e => Kernel(kernel, KernelEvent.Ready, e);
        source.Kernel.PerfInfoSample += e => Kernel(kernel, KernelEvent.Sample, e);
        source.Kernel.ThreadDCStart += e => Kernel(kernel, KernelEvent.ThreadExists, e);
        source.Kernel.ThreadDCStop += e => Kernel(kernel, KernelEvent.ThreadExists, e);
        source.Kernel.ThreadStart += e => Kernel(kernel, KernelEvent.ThreadStart, e);
        source.Kernel.ThreadStop += e => Kernel(kernel, KernelEvent.ThreadEnd, e);
        source.Kernel.ThreadSetName += e => Kernel(kernel, KernelEvent.ThreadName, e);
        SubscribeTcp(source.Kernel, kernel);
        source.AllEvents += Any;
    }

    /// <summary>Subscribes to TCP/IP. TCPCopy repeats bytes that Recv has already reported, and Reconnect and Fail
    /// report no connection that was made.</summary>
    private void SubscribeTcp(KernelTraceEventParser source, KernelTranslator kernel)
    {
        source.TcpIpRecv += e => Tcp(kernel, TcpReport.Received, ipv6: false, e);
        source.TcpIpSend += e => Tcp(kernel, TcpReport.Transmitted, ipv6: false, e);
        source.TcpIpRetransmit += e => Tcp(kernel, TcpReport.Retransmitted, ipv6: false, e);
        source.TcpIpConnect += e => Tcp(kernel, TcpReport.Connect, ipv6: false, e);
        source.TcpIpAccept += e => Tcp(kernel, TcpReport.Accept, ipv6: false, e);
        source.TcpIpDisconnect += e => Tcp(kernel, TcpReport.Disconnect, ipv6: false, e);
        source.TcpIpRecvIPV6 += e => Tcp(kernel, TcpReport.Received, ipv6: true, e);
        source.TcpIpSendIPV6 += e => Tcp(kernel, TcpReport.Transmitted, ipv6: true, e);
        source.TcpIpRetransmitIPV6 += e => Tcp(kernel, TcpReport.Retransmitted, ipv6: true, e);
        source.TcpIpConnectIPV6 += e => Tcp(kernel, TcpReport.Connect, ipv6: true, e);
        source.TcpIpAcceptIPV6 += e => Tcp(kernel, TcpReport.Accept, ipv6: true, e);
        source.TcpIpDisconnectIPV6 += e => Tcp(kernel, TcpReport.Disconnect, ipv6: true, e);
    }

    private void Tcp(KernelTranslator kernel, TcpReport report, bool ipv6, TraceEvent e) =>
        kernel.TranslateTcp(report, ipv6, clock.Nanoseconds(EtlxTrace.Ticks(e)), Payload(e));

    private void Kernel(KernelTranslator kernel, KernelEvent what, TraceEvent e) => kernel.Translate(
        what, clock.Nanoseconds(EtlxTrace.Ticks(e)), e.ProcessorNumber, e.ProcessID, e.ThreadID, e.PointerSize, Payload(e));

    /// <summary>Handles a switch. Its stack is that of the arriving thread: the place where the thread had left its
    /// core.</summary>
    private void Switch(KernelTranslator kernel, CSwitchTraceData e)
    {
        Kernel(kernel, KernelEvent.Switch, e);
        var tid = e.NewThreadID;
        if (kernel.TakeBlock(tid, pid) is { } since && TakeStack(e))
        {
            runtime.BlockedAt(since, tid, CollectionsMarshal.AsSpan(_stack));
        }
    }

    private void Any(TraceEvent e)
    {
        if (++Events % CancellationStep == 0)
        {
            cancellation.ThrowIfCancellationRequested();
        }

        if (e.ProcessID != pid || e.IsClassicProvider)
        {
            return;
        }

        var provider = e.ProviderGuid;
        var time = clock.Nanoseconds(EtlxTrace.Ticks(e));
        if (stackOf(provider, (int)e.ID) && TakeStack(e))
        {
            runtime.Stack(provider, (int)e.ID, time, e.ThreadID, CollectionsMarshal.AsSpan(_stack));
        }

        runtime.Event(provider, (int)e.ID, time, e.ThreadID, e.ActivityID, e.RelatedActivityID, e.PointerSize, Payload(e));
    }

    /// <returns>False if the event has no stack.</returns>
    private bool TakeStack(TraceEvent e)
    {
        _stack.Clear();
        for (var at = log.GetCallStackIndexForEvent(e); at != CallStackIndex.Invalid; at = log.CallStacks.Caller(at))
        {
            _stack.Add(Frame(log.CallStacks.CodeAddressIndex(at)));
        }

        return _stack.Count > 0;
    }

    private TraceFrame Frame(CodeAddressIndex address)
    {
        if (!_frames.TryGetValue(address, out var frame))
        {
            var code = log.CodeAddresses[address];
            frame = new TraceFrame(WithoutSignature(code.FullMethodName), code.ModuleName is { Length: > 0 } module ? module : null);
            _frames.Add(address, frame);
        }

        return frame;
    }

    private static string? WithoutSignature(string method)
    {
        var end = method.IndexOf('(', StringComparison.Ordinal);
        var name = end < 0 ? method : method[..end];
        return name.Length == 0 ? null : name;
    }

    private ReadOnlySpan<byte> Payload(TraceEvent e)
    {
        var length = e.EventDataLength;
        if (length > _payload.Length)
        {
            _payload = new byte[length * 2];
        }

        e.EventData(_payload, 0, 0, length);
        return _payload.AsSpan(0, length);
    }
}
