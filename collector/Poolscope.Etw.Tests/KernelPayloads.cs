using System.Text;

namespace Poolscope.Etw.Tests;

/// <summary>Payloads as the MOF classes CSwitch, ReadyThread, SampledProfile and Thread_TypeGroup1 lay them out.</summary>
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

    private static byte[] Bytes(int value) => BitConverter.GetBytes(value);
}
