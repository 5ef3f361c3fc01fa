using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Fuzz.Corpus;

/// <summary>Writes tracepoints as a 64-bit kernel writes them, and their descriptions as one-collect writes
/// them.</summary>
internal static class Tracepoints
{
    private static readonly (string, byte)[] Common = [("common_type", 8), ("common_flags", 6), ("common_preempt_count", 6), ("common_pid", 9)];

    public static byte[] SwitchDescription(int number) => NettraceV6Writer.Description(number, "sched", 372, "sched_switch", null, [.. Common, ("prev_comm", 6)]);

    /// <param name="name">sched_waking, sched_wakeup, sched_wakeup_new or sched_process_exit.</param>
    public static byte[] OtherDescription(int number, string name) => NettraceV6Writer.Description(number, "sched", 370 + number, name, null, [.. Common, ("comm", 6)]);

    public static byte[] Switch(int previous, long state, int next)
    {
        var bytes = Begun(previous, previous, $"t{previous}", 68);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(32), state);
        Encoding.UTF8.GetBytes($"t{next}", bytes.AsSpan(40, 16));
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(56), next);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(60), 120);
        return bytes;
    }

    /// <param name="waker">-1: an interrupt.</param>
    public static byte[] Wakeup(int waker, int wakee, int cpu)
    {
        var bytes = Begun(Math.Max(waker, 0), wakee, $"t{wakee}", 36);
        bytes[2] = waker < 0 ? (byte)0x09 : (byte)0x01;
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(32), cpu);
        return bytes;
    }

    public static byte[] Exit(int tid) => Begun(tid, tid, $"t{tid}", 36);

    private static byte[] Begun(int writer, int thread, string name, int length)
    {
        var bytes = new byte[length];
        bytes[2] = 1;
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(4), writer);
        Encoding.UTF8.GetBytes(name, bytes.AsSpan(8, 16));
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(24), thread);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(28), 120);
        return bytes;
    }
}
