using System.Buffers.Binary;
using System.Net;
using Poolscope.KernelEvents;

namespace Poolscope.Etw.Format;

/// <summary>What the payloads of the kernel's TCP/IP events begin with, in version 1 and later: MOF classes TcpIp_SendIPV4,
/// TcpIp_TypeGroup1 and TcpIp_TypeGroup2, and those of IPv6, whose addresses are longer. Behind it follow options and times
/// whose units are not documented, a sequence number, and a connection id that is always 0 (microsoft/perfview#1197).</summary>
/// <param name="Pid">Of the process whose connection it is; the header's is that of whoever was interrupted.</param>
/// <param name="Bytes">Of data; what it counts of a connection that is made or closed is not documented.</param>
/// <param name="Ends">The source is the local end and the destination the remote one, of what was received too.</param>
internal readonly record struct TcpPayload(int Pid, int Bytes, SocketEndpoints Ends)
{
    private const int AddressV4 = 4;
    private const int AddressV6 = 16;
    private const int BytesOffset = 4;
    private const int DestinationOffset = 8;

    // The sequence number and, where pointers have four bytes, the connection id: what every one of these events has behind
    // the ports. Version 0, before Windows Vista, has its fields in another order, and is shorter.
    private const int LeastBehindPorts = 2 * sizeof(uint);

    /// <returns>Null: shorter than the fields, or no number of bytes.</returns>
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

    /// <summary>Addresses and ports are as on the wire, unlike all else. IPv4 on a socket of both families counts as IPv4.</summary>
    private static IPEndPoint End(ReadOnlySpan<byte> address, ReadOnlySpan<byte> port)
    {
        var ip = new IPAddress(address);
        return new IPEndPoint(ip.IsIPv4MappedToIPv6 ? ip.MapToIPv4() : ip, BinaryPrimitives.ReadUInt16BigEndian(port));
    }
}
