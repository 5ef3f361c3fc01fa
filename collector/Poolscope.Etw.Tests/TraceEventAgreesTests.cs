using System.Net;
using System.Reflection;
using System.Runtime.InteropServices;
using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers.Kernel;
using Poolscope.Etw.Format;
using Xunit;

namespace Poolscope.Etw.Tests;

/// <summary>Offsets agree with TraceEvent's, whose types read the same bytes. Without Windows only their internals
/// allow that, so this file, and no other, uses reflection.</summary>
public sealed class TraceEventAgreesTests : IDisposable
{
    // EVENT_RECORD: the header's Flags and EventDescriptor.Version. A flag says 64 bits.
    private const int FlagsOffset = 4;
    private const int ThreadIdOffset = 8;
    private const int VersionOffset = 42;
    private const int UserDataLengthOffset = 86;
    private const int RecordBytes = 112;
    private const ushort Header32Bit = 0x20;
    private const ushort Header64Bit = 0x40;

    private readonly List<nint> _memory = [];

    [Fact]
    public void Switches()
    {
        var bytes = KernelPayloads.Switch(newTid: 8, oldTid: 7, oldState: 5, waitReason: 6);
        var theirs = Over<CSwitchTraceData>(bytes, version: 2);
        var ours = SwitchPayload.Read(bytes)!.Value;
        Assert.Equal((theirs.NewThreadID, theirs.OldThreadID), (ours.NewTid, ours.OldTid));
        Assert.Equal((int)theirs.OldThreadState, (int)ours.OldState);
        Assert.Equal((int)theirs.OldThreadWaitReason, ours.WaitReason);
    }

    [Fact]
    public void Wakeups()
    {
        var bytes = KernelPayloads.Ready(7, flags: 1);
        var theirs = Over<DispatcherReadyThreadTraceData>(bytes, version: 2);
        Assert.Equal((theirs.AwakenedThreadID, (int)theirs.Flags), (7, 1));
        Assert.Equal((7, true), (ReadyPayload.Read(bytes)!.Value.Tid, ReadyPayload.Read(bytes)!.Value.ByInterrupt));
    }

    [Fact]
    public void Names_of_threads()
    {
        var bytes = KernelPayloads.Thread(8, 100, 7, "worker");
        Assert.Equal("worker", Over<ThreadTraceData>(bytes, version: 4).ThreadName);
        Assert.Equal(new ThreadPayload(100, 7, "worker"), ThreadPayload.Read(bytes, 8));

        var named = KernelPayloads.SetName(100, 7, "worker");
        Assert.Equal("worker", Over<ThreadSetNameTraceData>(named, version: 2).ThreadName);
        Assert.Equal(new ThreadPayload(100, 7, "worker"), ThreadPayload.ReadSetName(named));
    }

    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    public void Connections(int pointerSize)
    {
        IPEndPoint local = new(IPAddress.Loopback, 5000), remote = new(IPAddress.Parse("192.0.2.7"), 443);
        var received = KernelPayloads.Tcp(pointerSize, 100, 80, local, remote);
        var theirs = Over<TcpIpTraceData>(received, version: 2, pointerSize);
        Assert.Equal((100, 80), (theirs.ProcessID, theirs.size));
        Agree(received, ipv6: false, (theirs.saddr, theirs.sport), (theirs.daddr, theirs.dport));

        var sent = KernelPayloads.TcpSend(pointerSize, 100, 80, local, remote);
        var send = Over<TcpIpSendTraceData>(sent, version: 2, pointerSize);
        Assert.Equal((100, 80, 646659, 646661), (send.ProcessID, send.size, send.startime, send.endtime));
        Agree(sent, ipv6: false, (send.saddr, send.sport), (send.daddr, send.dport));

        var begun = KernelPayloads.TcpBegins(pointerSize, 100, local, remote);
        var connect = Over<TcpIpConnectTraceData>(begun, version: 2, pointerSize);
        Assert.Equal((100, 0, 1460, 65535), (connect.ProcessID, connect.size, connect.mss, connect.rcvwin));
        Agree(begun, ipv6: false, (connect.saddr, connect.sport), (connect.daddr, connect.dport));
    }

    [Theory]
    [InlineData(4)]
    [InlineData(8)]
    public void Connections_over_IPv6(int pointerSize)
    {
        IPEndPoint local = new(IPAddress.IPv6Loopback, 5000), remote = new(IPAddress.Parse("2001:db8::2"), 443);
        var received = KernelPayloads.Tcp(pointerSize, 100, 80, local, remote);
        var theirs = Over<TcpIpV6TraceData>(received, version: 2, pointerSize);
        Assert.Equal((100, 80), (theirs.ProcessID, theirs.size));
        Agree(received, ipv6: true, (theirs.saddr, theirs.sport), (theirs.daddr, theirs.dport));

        var sent = KernelPayloads.TcpSend(pointerSize, 100, 80, local, remote);
        var send = Over<TcpIpV6SendTraceData>(sent, version: 2, pointerSize);
        Assert.Equal((100, 80), (send.ProcessID, send.size));
        Agree(sent, ipv6: true, (send.saddr, send.sport), (send.daddr, send.dport));

        var begun = KernelPayloads.TcpBegins(pointerSize, 100, local, remote);
        var connect = Over<TcpIpV6ConnectTraceData>(begun, version: 2, pointerSize);
        Assert.Equal((100, 0), (connect.ProcessID, connect.size));
        Agree(begun, ipv6: true, (connect.saddr, connect.sport), (connect.daddr, connect.dport));
    }

    public void Dispose() => _memory.ForEach(Marshal.FreeHGlobal);

    private static void Agree(byte[] payload, bool ipv6, (IPAddress Address, int Port) source, (IPAddress Address, int Port) destination)
    {
        var ours = TcpPayload.Read(payload, ipv6)!.Value;
        Assert.Equal(new IPEndPoint(source.Address, source.Port), ours.Ends.Local);
        Assert.Equal(new IPEndPoint(destination.Address, destination.Port), ours.Ends.Remote);
    }

    private unsafe T Over<T>(byte[] payload, byte version, int pointerSize = 8)
        where T : TraceEvent
    {
        const BindingFlags hidden = BindingFlags.Instance | BindingFlags.NonPublic;
        var made = typeof(T).GetConstructors(hidden).Single();
        var e = (T)made.Invoke([.. made.GetParameters().Select(p => p.ParameterType.IsValueType ? Activator.CreateInstance(p.ParameterType) : p.ParameterType == typeof(string) ? "" : null)]);
        var record = Allocate(RecordBytes);
        var data = Allocate(payload.Length);
        Marshal.Copy(payload, 0, data, payload.Length);
        Marshal.WriteInt16(record, FlagsOffset, (short)(pointerSize == 8 ? Header64Bit : Header32Bit));
        Marshal.WriteInt32(record, ThreadIdOffset, -1); // as the kernel writes its own events
        Marshal.WriteByte(record, VersionOffset, version);
        Marshal.WriteInt16(record, UserDataLengthOffset, (short)payload.Length);
        var recordField = typeof(TraceEvent).GetField("eventRecord", hidden)!;
        recordField.SetValue(e, Pointer.Box((void*)record, recordField.FieldType));
        typeof(TraceEvent).GetField("userData", hidden)!.SetValue(e, data);
        typeof(T).GetMethod("FixupData", hidden)!.Invoke(e, null); // takes the header's missing ids from the payload
        return e;
    }

    private nint Allocate(int bytes)
    {
        var memory = Marshal.AllocHGlobal(bytes);
        Marshal.Copy(new byte[bytes], 0, memory, bytes);
        _memory.Add(memory);
        return memory;
    }
}
