using System.Buffers.Binary;
using System.Text;
using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Import;

/// <summary>A kernel tracepoint that Poolscope reads.</summary>
internal enum KernelEventKind
{
    Unknown,
    Switch,
    Waking,
    Wakeup,
    WakeupNew,
    Exit,
}

/// <summary>Decodes tracepoints as the kernel writes them (its events/sched/*/format). All begin with 8 common bytes.
/// sched_switch holds name (16 bytes), thread and priority (i32 each), state (i64) of the leaving thread, then name,
/// thread and priority of the arriving one. sched_waking, sched_wakeup and sched_wakeup_new hold name, thread,
/// priority, CPU; sched_process_exit holds name, thread.</summary>
internal static class KernelEvent
{
    // The fields that one-collect describes. Another kernel's would have other names or sizes.
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

    // perf pads a record to a multiple of 8 bytes.
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

    /// <summary>Returns the thread that wrote the event, or that an interrupt stopped.</summary>
    public static int Writer(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadInt32LittleEndian(payload[4..]);

    /// <summary>Returns the thread that leaves in a switch.</summary>
    public static int PreviousThread(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadInt32LittleEndian(payload[FirstThread..]);

    /// <summary>Returns the thread that a wake-up or an exit is about.</summary>
    public static int Subject(ReadOnlySpan<byte> payload) => PreviousThread(payload);

    public static int State(ReadOnlySpan<byte> payload) => (int)BinaryPrimitives.ReadInt64LittleEndian(payload[PreviousState..]) & int.MaxValue;

    public static int NextThread(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadInt32LittleEndian(payload[NextThreadOffset..]);

    public static int Cpu(ReadOnlySpan<byte> payload) => BinaryPrimitives.ReadInt32LittleEndian(payload[TargetCpu..]);

    /// <summary>Returns the name of the thread that leaves, or that the event is about.</summary>
    public static string Name(ReadOnlySpan<byte> payload) => Text(payload.Slice(FirstName, NameBytes));

    private static string Text(ReadOnlySpan<byte> padded) => Encoding.UTF8.GetString(padded[..(padded.IndexOf((byte)0) is var end && end < 0 ? padded.Length : end)]);
}
