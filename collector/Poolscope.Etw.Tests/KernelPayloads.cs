using System.Net;
using System.Text;

namespace Poolscope.Etw.Tests;

/// <summary>Payloads in the layout of the MOF classes CSwitch, ReadyThread, SampledProfile, Thread_TypeGroup1 and those
/// of TcpIp.</summary>
internal static class KernelPayloads
{
    public static byte[] Switch(int newTid, int oldTid, byte oldState, byte waitReason = 0) =>
    [
        .. Bytes(newTid), .. Bytes(oldTid), 9, 8, 1, 0, waitReason, 1, oldState, 3, .. Bytes(17), .. Bytes(0),
    ];

    public static byte[] Ready(int tid, byte flags) => [.. Bytes(tid), 1, 2, flags, 0];

    public static byte[] Sample(int pointerSize, int tid) => [.. new byte[pointerSize], .. Bytes(tid), .. Bytes(1)];

    public static byte[] Thread(int pointerSize, int pid, int tid, string? name = null) =>
    [
        .. Bytes(pid), .. Bytes(tid), .. Enumerable.Repeat((byte)0xEE, 7 * pointerSize), .. Bytes(0), 8, 5, 2, 0,
        .. name is null ? [] : Encoding.Unicode.GetBytes(name + '\0'),
    ];

    public static byte[] SetName(int pid, int tid, string name) => [.. Bytes(pid), .. Bytes(tid), .. Encoding.Unicode.GetBytes(name + '\0')];

    /// <summary>TcpIp_TypeGroup1 and its IPv6 counterpart: Recv, Retransmit, Disconnect.</summary>
    public static byte[] Tcp(int pointerSize, int pid, int bytes, IPEndPoint local, IPEndPoint remote) =>
        [.. TcpHead(pid, bytes, local, remote), .. Bytes(4711), .. new byte[pointerSize]];

    /// <summary>TcpIp_SendIPV4 and TcpIp_SendIPV6: with the times of the send, as Windows counts them.</summary>
    public static byte[] TcpSend(int pointerSize, int pid, int bytes, IPEndPoint local, IPEndPoint remote) =>
        [.. TcpHead(pid, bytes, local, remote), .. Bytes(646659), .. Bytes(646661), .. Bytes(4711), .. new byte[pointerSize]];

    /// <summary>TcpIp_TypeGroup2 and TcpIp_TypeGroup4: Connect, Accept, with the options that both ends agreed on.</summary>
    public static byte[] TcpBegins(int pointerSize, int pid, IPEndPoint local, IPEndPoint remote) =>
    [
        .. TcpHead(pid, 0, local, remote), 0xB4, 5, 1, 0, 0, 0, 1, 0, .. Bytes(65535), 8, 0, 8, 0, .. Bytes(4711), .. new byte[pointerSize],
    ];

    // Addresses and ports are in network byte order.
    private static byte[] TcpHead(int pid, int bytes, IPEndPoint local, IPEndPoint remote) =>
    [
        .. Bytes(pid), .. Bytes(bytes), .. remote.Address.GetAddressBytes(), .. local.Address.GetAddressBytes(),
        (byte)(remote.Port >> 8), (byte)remote.Port, (byte)(local.Port >> 8), (byte)local.Port,
    ];

    private static byte[] Bytes(int value) => BitConverter.GetBytes(value);
}
