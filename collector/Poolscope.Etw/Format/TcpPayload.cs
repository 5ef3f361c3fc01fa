using System.Buffers.Binary;
using System.Net;
using Poolscope.KernelEvents;

namespace Poolscope.Etw.Format;

/// <summary>The first fields of the kernel's TCP/IP payloads, version 1 and later: MOF classes TcpIp_SendIPV4,
/// TcpIp_TypeGroup1 and TcpIp_TypeGroup2, and those of IPv6, whose addresses are longer. Options and times in
/// undocumented units, a sequence number, and a connection id that is always 0 (microsoft/perfview#1197)
/// follow.</summary>
/// <param name="Pid">Process that owns the connection. The header has the process that was interrupted.</param>
/// <param name="Bytes">Bytes of data. The meaning is undocumented when a connection is made or closed.</param>
/// <param name="Ends">The source is the local end and the destination the remote one, also for received data.</param>
internal readonly record struct TcpPayload(int Pid, int Bytes, SocketEndpoints Ends)
{
    private const int AddressV4 = 4;
    private const int AddressV6 = 16;
    private const int BytesOffset = 4;
    private const int DestinationOffset = 8;

    // The sequence number and the connection id, which has four bytes if pointers do. Each of these events has at least
    // these fields after the ports. Version 0, before Windows Vista, has its fields in another order, and is shorter.
    private const int LeastBehindPorts = 2 * sizeof(uint);

    /// <returns>Null if the payload is shorter than the fields or the number of bytes is negative.</returns>
    public static TcpPayload? Read(ReadOnlySpan<byte> payload, bool ipv6)
    {
        var address = ipv6 ? AddressV6 : AddressV4;
        var portsOffset = DestinationOffset + (2 * address);
        if (payload.Length < portsOffset + (2 * sizeof(ushort)) + LeastBehindPorts)
        {
            return null;
        }

        var bytes = BinaryPrimitives.ReadInt32LittleEndian(payload[BytesOffset..]);
        var remote = End(payload.Slice(DestinationOffset, address), payload[portsOffset..]);
        var local = End(payload.Slice(DestinationOffset + address, address), payload[(portsOffset + sizeof(ushort))..]);
        return bytes < 0 ? null : new TcpPayload(BinaryPrimitives.ReadInt32LittleEndian(payload), bytes, new SocketEndpoints(local, remote));
    }

    /// <summary>Reads one end. Addresses and ports are in network byte order, unlike the other fields. An IPv4 address
    /// on a dual-stack socket counts as IPv4.</summary>
    private static IPEndPoint End(ReadOnlySpan<byte> address, ReadOnlySpan<byte> port)
    {
        var ip = new IPAddress(address);
        return new IPEndPoint(ip.IsIPv4MappedToIPv6 ? ip.MapToIPv4() : ip, BinaryPrimitives.ReadUInt16BigEndian(port));
    }
}
