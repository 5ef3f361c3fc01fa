using System.Buffers.Binary;
using System.Net;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Reading;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>Fields of socket events are read from raw bytes in the layout of Linux 6.18.</summary>
public sealed class SocketLayoutTests
{
    private const ulong Socket = 0xffff_8881_0000_0100;

    private const string Probe = """
        name: tcp_probe
        ID: 1500
        format:
        	field:int common_pid;	offset:4;	size:4;	signed:1;
        	field:__u8 saddr[28];	offset:8;	size:28;	signed:0;
        	field:__u8 daddr[28];	offset:36;	size:28;	signed:0;
        	field:__u16 data_len;	offset:76;	size:2;	signed:0;
        	field:const void * skaddr;	offset:128;	size:8;	signed:0;
        """;

    private const string Read = """
        name: sock_recv_length
        ID: 1502
        format:
        	field:void * sk;	offset:8;	size:8;	signed:0;
        	field:int ret;	offset:20;	size:4;	signed:1;
        	field:int flags;	offset:24;	size:4;	signed:1;
        """;

    private const string State = """
        name: inet_sock_set_state
        ID: 1501
        format:
        	field:const void * skaddr;	offset:8;	size:8;	signed:0;
        	field:int oldstate;	offset:16;	size:4;	signed:1;
        	field:int newstate;	offset:20;	size:4;	signed:1;
        	field:__u16 sport;	offset:24;	size:2;	signed:0;
        	field:__u16 dport;	offset:26;	size:2;	signed:0;
        	field:__u16 family;	offset:28;	size:2;	signed:0;
        	field:__u8 saddr[4];	offset:32;	size:4;	signed:0;
        	field:__u8 daddr[4];	offset:36;	size:4;	signed:0;
        	field:__u8 saddr_v6[16];	offset:40;	size:16;	signed:0;
        	field:__u8 daddr_v6[16];	offset:56;	size:16;	signed:0;
        """;

    [Theory]
    [InlineData("192.0.2.1", "192.0.2.1")]
    [InlineData("2001:db8::1", "2001:db8::1")]
    [InlineData("::ffff:192.0.2.1", "192.0.2.1")] // IPv4 on a dual-stack listener
    public void An_arrival_tells_its_ends_and_its_length(string address, string shown)
    {
        var raw = new byte[136];
        Write(raw.AsSpan(8), IPAddress.Parse(address), 5000);
        Write(raw.AsSpan(36), IPAddress.Parse(address), 40000);
        BinaryPrimitives.WriteUInt16LittleEndian(raw.AsSpan(76), 65_483); // too large for a signed number of 16 bits
        BinaryPrimitives.WriteUInt64LittleEndian(raw.AsSpan(128), Socket);
        var layout = new SocketLayout(EventKind.SocketArrival, TracepointFormat.Parse(Probe));

        Assert.Equal((136, Socket, 65_483), (layout.RawBytes, layout.Socket(raw), layout.Length(raw)));
        Assert.Equal(new SocketEndpoints(new IPEndPoint(IPAddress.Parse(shown), 5000), new IPEndPoint(IPAddress.Parse(shown), 40000)), layout.Endpoints(raw));
    }

    [Theory]
    [InlineData(2, "192.0.2.1", "192.0.2.2")]
    [InlineData(10, "2001:db8::1", "2001:db8::2")]
    public void A_change_of_state_tells_both_states_and_ends(int family, string local, string remote)
    {
        var raw = new byte[72];
        BinaryPrimitives.WriteUInt64LittleEndian(raw.AsSpan(8), Socket);
        BinaryPrimitives.WriteInt32LittleEndian(raw.AsSpan(16), (int)TcpState.SynSent);
        BinaryPrimitives.WriteInt32LittleEndian(raw.AsSpan(20), (int)TcpState.Established);
        BinaryPrimitives.WriteUInt16LittleEndian(raw.AsSpan(24), 50_000);
        BinaryPrimitives.WriteUInt16LittleEndian(raw.AsSpan(26), 443);
        BinaryPrimitives.WriteInt16LittleEndian(raw.AsSpan(28), (short)family);
        var (here, there) = family == 2 ? (32, 36) : (40, 56);
        IPAddress.Parse(local).GetAddressBytes().CopyTo(raw, here);
        IPAddress.Parse(remote).GetAddressBytes().CopyTo(raw, there);
        var layout = new SocketLayout(EventKind.SocketState, TracepointFormat.Parse(State));

        Assert.Equal((TcpState.SynSent, TcpState.Established), layout.States(raw));
        Assert.Equal(new SocketEndpoints(new IPEndPoint(IPAddress.Parse(local), 50_000), new IPEndPoint(IPAddress.Parse(remote), 443)), layout.Endpoints(raw));
    }

    [Fact]
    public void An_unknown_family_has_no_ends() =>
        Assert.Null(new SocketLayout(EventKind.SocketArrival, TracepointFormat.Parse(Probe)).Endpoints(new byte[136]));

    [Theory]
    [InlineData(0, 45, false)]
    [InlineData(0x40, 45, false)] // without waiting for data
    [InlineData(0x42, 1, true)] // Kestrel peeks at the first byte of a connection
    public void A_read_tells_its_length_and_whether_it_only_looked(int flags, int length, bool looked)
    {
        var raw = new byte[28];
        BinaryPrimitives.WriteUInt64LittleEndian(raw.AsSpan(8), Socket);
        BinaryPrimitives.WriteInt32LittleEndian(raw.AsSpan(20), length);
        BinaryPrimitives.WriteInt32LittleEndian(raw.AsSpan(24), flags);
        var layout = new SocketLayout(EventKind.SocketRead, TracepointFormat.Parse(Read));

        Assert.Equal((Socket, length, looked), (layout.Socket(raw), layout.Length(raw), layout.OnlyLooked(raw)));
    }

    [Theory]
    [InlineData("skaddr;", "cookie;")]
    [InlineData("data_len;", "length;")]
    [InlineData("saddr[28]", "saddr[27]", "size:28;	signed:0;\n	field:__u8 daddr", "size:27;	signed:0;\n	field:__u8 daddr")]
    public void A_kernel_that_does_not_tell_enough_is_refused(params string[] changes)
    {
        var format = Probe.ReplaceLineEndings("\n");
        foreach (var change in changes.Chunk(2))
        {
            Assert.Contains(change[0], format, StringComparison.Ordinal);
            format = format.Replace(change[0], change[1], StringComparison.Ordinal);
        }

        Assert.Throws<InvalidDataException>(() => new SocketLayout(EventKind.SocketArrival, TracepointFormat.Parse(format)));
    }

    /// <summary>Writes a struct sockaddr_in or sockaddr_in6.</summary>
    private static void Write(Span<byte> at, IPAddress address, ushort port)
    {
        var is4 = address.AddressFamily == System.Net.Sockets.AddressFamily.InterNetwork;
        BinaryPrimitives.WriteInt16LittleEndian(at, (short)(is4 ? 2 : 10));
        BinaryPrimitives.WriteUInt16BigEndian(at[2..], port);
        address.GetAddressBytes().CopyTo(at[(is4 ? 4 : 8)..]);
    }
}
