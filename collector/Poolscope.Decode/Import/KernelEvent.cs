using System.Buffers.Binary;
using System.Text;
using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Import;

/// <summary>A tracepoint of the kernel that is read.</summary>
internal enum KernelEventKind
{
    Unknown,
    Switch,
    Waking,
    Wakeup,
    WakeupNew,
    Exit,
}

/// <summary>Tracepoints as the kernel writes them (its events/sched/*/format): 8 bytes that all have, then
/// sched_switch: name (16 bytes), thread and priority (i32 each), state (i64) of the one that leaves, name, thread and priority of
/// the one that comes; sched_waking, sched_wakeup, sched_wakeup_new: name, thread, priority, CPU; sched_process_exit: name, thread.</summary>
internal static class KernelEvent
{
    // What one-collect describes of them: another kernel's would have other fields, or other sizes.
    private const string Common = "common_type:8 common_flags:6 common_preempt_count:6 common_pid:9 ";
    private const int NameBytes = 16;
    private const int FirstName = 8;
    private const int FirstThread = 24;
    private const int PreviousState = 32;
    private const int TargetCpu = 32;
    private const int NextThreadOffset = 56;
    private const int SwitchBytes = 64;
    private const int WakeupBytes = 36;
    private const int ExitBytes = 32;

    // perf fills a record up to a multiple of 8 bytes.
    private const int MostPadding = 7;

    public static KernelEventKind Of(EventKind kind, ReadOnlySpan<byte> payload)
    {
        var (found, bytes) = kind.Name switch
        {
            "sched_switch" => (KernelEventKind.Switch, SwitchBytes),
            "sched_waking" => (KernelEventKind.Waking, WakeupBytes),
            "sched_wakeup" => (KernelEventKind.Wakeup, WakeupBytes),
            "sched_wakeup_new" => (KernelEventKind.WakeupNew, WakeupBytes),
            "sched_process_exit" => (KernelEventKind.Exit, ExitBytes),
            _ => (KernelEventKind.Unknown, 0),
        };
        var first = found == KernelEventKind.Switch ? "prev_comm:6" : "comm:6";
        return found != KernelEventKind.Unknown && kind.Fields.StartsWith(Common, StringComparison.Ordinal) && kind.Fields.AsSpan(Common.Length).SequenceEqual(first)
            && payload.Length >= bytes && payload.Length <= bytes + MostPadding
            ? found
            : KernelEventKind.Unknown;
    }

    public static byte Flags(ReadOnlySpan<byte> payload) => payload[2];

    /// <summary>Thread that wrote it, or that an interrupt stopped.</summary>
    public static int Writer(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadInt32LittleEndian(payload[4..]);

    /// <summary>Of a switch: the thread that leaves.</summary>
    public static int PreviousThread(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadInt32LittleEndian(payload[FirstThread..]);

    /// <summary>Of a wake-up or an exit: the thread that it is about.</summary>
    public static int Subject(ReadOnlySpan<byte> payload) => PreviousThread(payload);

    public static int State(ReadOnlySpan<byte> payload) => (int)BinaryPrimitives.ReadInt64LittleEndian(payload[PreviousState..]) & int.MaxValue;

    public static int NextThread(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadInt32LittleEndian(payload[NextThreadOffset..]);

    public static int Cpu(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadInt32LittleEndian(payload[TargetCpu..]);

    /// <summary>Of any: the name of the thread that leaves, or that it is about.</summary>
    public static string Name(ReadOnlySpan<byte> payload) => Text(payload.Slice(FirstName, NameBytes));

    private static string Text(ReadOnlySpan<byte> padded) => Encoding.UTF8.GetString(padded[..(padded.IndexOf((byte)0) is var end && end < 0 ? padded.Length : end)]);
}
