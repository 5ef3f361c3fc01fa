using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Runtime.InteropServices;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Processes;

/// <summary>Lists the TCP sockets of our own network namespace by the kernel's socket diagnosis (sock_diag(7)). Sockets
/// in unwanted states cost nothing.</summary>
internal static unsafe class TcpDiagnosis
{
    // struct nlmsghdr
    private const int HeaderBytes = 16;
    private const int TypeOffset = 4;
    private const ushort Error = 2; // NLMSG_ERROR
    private const ushort Done = 3; // NLMSG_DONE
    private const ushort ByFamily = 20; // SOCK_DIAG_BY_FAMILY
    private const ushort RequestDump = 0x301; // NLM_F_REQUEST | NLM_F_DUMP
    private const int Alignment = 4;

    // struct inet_diag_req_v2: family, protocol, extensions, padding, states, and 48 unused bytes that name one socket
    private const int RequestBytes = HeaderBytes + 56;
    private const int StatesOffset = HeaderBytes + 4;
    private const byte Tcp = 6; // IPPROTO_TCP

    // struct inet_diag_msg
    private const int AnswerBytes = 72;
    private const int StateOffset = 1;
    private const int LocalPortOffset = 4;
    private const int RemotePortOffset = 6;
    private const int LocalOffset = 8;
    private const int RemoteOffset = 24;
    private const int UnreadOffset = 56;
    private const int InodeOffset = 68;

    private const byte Version4 = 2; // AF_INET
    private const byte Version6 = 10; // AF_INET6

    /// <summary>The largest datagram that the kernel fills, however large the buffer.</summary>
    private const int BufferBytes = 32 * 1024;

    /// <summary>Requests the sockets from the kernel.</summary>
    /// <returns>Null if the kernel does not list them, or an answer is malformed.</returns>
    public static IReadOnlyList<TcpRow>? Read()
    {
        var socket = Libc.OpenSocketDiagnosis();
        if (socket < 0)
        {
            return null; // a kernel or a sandbox without socket diagnosis
        }

        try
        {
            var rows = new List<TcpRow>();
            var buffer = new byte[BufferBytes];
            return Ask(socket, Version4, buffer, rows) && Ask(socket, Version6, buffer, rows) ? rows : null;
        }
        finally
        {
            _ = Libc.Close(socket);
        }
    }

    private static bool Ask(int socket, byte family, byte[] buffer, List<TcpRow> rows)
    {
        Span<byte> request = stackalloc byte[RequestBytes];
        request.Clear();
        MemoryMarshal.Write(request, RequestBytes);
        MemoryMarshal.Write(request[TypeOffset..], ByFamily);
        MemoryMarshal.Write(request[(TypeOffset + sizeof(ushort))..], RequestDump);
        request[HeaderBytes] = family;
        request[HeaderBytes + 1] = Tcp;
        MemoryMarshal.Write(request[StatesOffset..], States());
        fixed (byte* bytes = request, room = buffer)
        {
            if (Libc.Write(socket, bytes, RequestBytes) != RequestBytes)
            {
                return false;
            }

            while (Libc.Read(socket, room, BufferBytes) is > 0 and var read)
            {
                if (Take(buffer.AsSpan(0, (int)read), rows) is { } whole)
                {
                    return whole;
                }
            }
        }

        return false;
    }

    /// <summary>Returns a bit for each wanted state.</summary>
    private static uint States() =>
        Enum.GetValues<TcpState>().Where(TcpRow.IsWanted).Aggregate(0u, (bits, state) => bits | (1u << (int)state));

    /// <returns>Whether the answer is whole, or null if more follows.</returns>
    private static bool? Take(ReadOnlySpan<byte> messages, List<TcpRow> rows)
    {
        while (messages.Length >= HeaderBytes)
        {
            var length = MemoryMarshal.Read<int>(messages);
            var type = MemoryMarshal.Read<ushort>(messages[TypeOffset..]);
            if (type == Done || type == Error || length < HeaderBytes + AnswerBytes || length > messages.Length)
            {
                return type == Done;
            }

            if (Row(messages.Slice(HeaderBytes, AnswerBytes)) is not { } row)
            {
                return false;
            }

            rows.Add(row);
            messages = messages[Math.Min((length + Alignment - 1) & -Alignment, messages.Length)..];
        }

        return null;
    }

    private static TcpRow? Row(ReadOnlySpan<byte> answer)
    {
        var bytes = answer[0] switch { Version4 => 4, Version6 => 16, _ => 0 };
        return bytes == 0 ? null : new TcpRow(
            new SocketEndpoints(End(answer, LocalOffset, bytes, LocalPortOffset), End(answer, RemoteOffset, bytes, RemotePortOffset)),
            (TcpState)answer[StateOffset],
            MemoryMarshal.Read<uint>(answer[UnreadOffset..]),
            MemoryMarshal.Read<uint>(answer[InodeOffset..]).ToString(CultureInfo.InvariantCulture));
    }

    private static IPEndPoint End(ReadOnlySpan<byte> answer, int offset, int bytes, int portOffset)
    {
        var address = new IPAddress(answer.Slice(offset, bytes));
        return new IPEndPoint(
            address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address, BinaryPrimitives.ReadUInt16BigEndian(answer[portOffset..]));
    }
}
