using System.Buffers.Binary;
using System.Net;
using Poolscope.KernelEvents;

namespace Poolscope.PerfEvents.Reading;

/// <summary>The positions of one socket event's fields in its raw bytes. Fields that the event does not have are
/// empty.</summary>
internal sealed class SocketLayout
{
    private const int Inet = 2;
    private const int Inet6 = 10;
    private const long Peek = 2; // MSG_PEEK

    // struct sockaddr_in and sockaddr_in6: family, port (network order), then the address, after 4 bytes of flow label in IPv6.
    private const int PortOffset = 2;
    private const int Inet4Offset = 4;
    private const int Inet6Offset = 8;

    private readonly TracepointField _socket;
    private readonly TracepointField _length;
    private readonly TracepointField _flags;
    private readonly TracepointField _oldState;
    private readonly TracepointField _newState;
    private readonly TracepointField _family;
    private readonly TracepointField _localPort;
    private readonly TracepointField _remotePort;
    private readonly TracepointField _local;
    private readonly TracepointField _remote;
    private readonly TracepointField _local6;
    private readonly TracepointField _remote6;

    /// <exception cref="InvalidDataException">A field that the reader needs was not recorded.</exception>
    internal SocketLayout(EventKind kind, TracepointFormat format)
    {
        switch (kind)
        {
            case EventKind.SocketArrival:
                _socket = format["skaddr"];
                _length = format["data_len"];
                _local = format.Bytes("saddr", Inet6Offset + 16 + sizeof(uint));
                _remote = format.Bytes("daddr", Inet6Offset + 16 + sizeof(uint));
                break;
            case EventKind.SocketState:
                _socket = format["skaddr"];
                _oldState = format["oldstate"];
                _newState = format["newstate"];
                _family = format["family"];
                _localPort = format["sport"];
                _remotePort = format["dport"];
                _local = format.Bytes("saddr", 4);
                _remote = format.Bytes("daddr", 4);
                _local6 = format.Bytes("saddr_v6", 16);
                _remote6 = format.Bytes("daddr_v6", 16);
                break;
            default:
                _socket = format["sk"];
                _length = format["ret"];
                _flags = format["flags"];
                break;
        }

        RawBytes = new[] { _socket, _length, _flags, _oldState, _newState, _family, _localPort, _remotePort, _local, _remote, _local6, _remote6 }.Max(f => f.End);
    }

    /// <summary>The minimum length of the raw part, bytes.</summary>
    internal int RawBytes { get; }

    internal ulong Socket(ReadOnlySpan<byte> raw) => (ulong)_socket.Read(raw);

    /// <summary>Returns the bytes of data. A segment's length is an unsigned 16-bit number.</summary>
    internal int Length(ReadOnlySpan<byte> raw) => _length.Size == sizeof(ushort) ? (ushort)_length.Read(raw) : (int)_length.Read(raw);

    /// <summary>Returns whether the call only peeked at the data, which stays in the socket.</summary>
    internal bool OnlyLooked(ReadOnlySpan<byte> raw) => (_flags.Read(raw) & Peek) != 0;

    internal (TcpState Old, TcpState New) States(ReadOnlySpan<byte> raw) => ((TcpState)_oldState.Read(raw), (TcpState)_newState.Read(raw));

    /// <summary>Returns both ends, or null if the family is not IP.</summary>
    internal SocketEndpoints? Endpoints(ReadOnlySpan<byte> raw) => _family.Size == 0
        ? FromSockets(raw.Slice(_local.Offset, _local.Size), raw.Slice(_remote.Offset, _remote.Size))
        : FromFields(raw);

    private SocketEndpoints? FromFields(ReadOnlySpan<byte> raw) => _family.Read(raw) switch
    {
        Inet => new SocketEndpoints(Of(raw, _local, _localPort), Of(raw, _remote, _remotePort)),
        Inet6 => new SocketEndpoints(Of(raw, _local6, _localPort), Of(raw, _remote6, _remotePort)),
        _ => null,
    };

    private static SocketEndpoints? FromSockets(ReadOnlySpan<byte> local, ReadOnlySpan<byte> remote) =>
        Of(local) is { } here && Of(remote) is { } there ? new SocketEndpoints(here, there) : null;

    private static IPEndPoint Of(ReadOnlySpan<byte> raw, TracepointField address, TracepointField port) =>
        new(Plain(new IPAddress(raw.Slice(address.Offset, address.Size))), (ushort)port.Read(raw));

    private static IPEndPoint? Of(ReadOnlySpan<byte> socket) => BinaryPrimitives.ReadUInt16LittleEndian(socket) switch
    {
        Inet => new IPEndPoint(new IPAddress(socket.Slice(Inet4Offset, 4)), BinaryPrimitives.ReadUInt16BigEndian(socket[PortOffset..])),
        Inet6 => new IPEndPoint(Plain(new IPAddress(socket.Slice(Inet6Offset, 16))), BinaryPrimitives.ReadUInt16BigEndian(socket[PortOffset..])),
        _ => null,
    };

    private static IPAddress Plain(IPAddress address) => address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
}
