using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Reading;

/// <summary>The meaning of one event's records.</summary>
internal enum EventKind : byte
{
    Other,
    CpuClock,
    Switch,
    Waking,
    Wakeup,
    WakeupNew,
    ProcessExit,

    /// <summary>A thread came to a CPU, reported by the perf core (PERF_RECORD_SWITCH_CPU_WIDE).</summary>
    Arrival,
    SocketArrival,
    SocketSend,
    SocketRead,
    SocketState,
}

/// <summary>The positions of the fields in one event's records, computed once from its attribute and its tracepoint
/// format. Offsets are bytes from the record's start, or from its end if the name says so.</summary>
internal sealed class EventLayout
{
    private const int HeaderBytes = 8;

    // enum trace_flag_type: the event was emitted inside a hardware interrupt.
    private const long InHardInterrupt = 0x08;

    private EventLayout(RecordedEvent recorded, bool byAnyTool)
    {
        var fields = recorded.Attr.SampleType;
        var needed = SampleFields.Tid | SampleFields.Time | SampleFields.Cpu | (byAnyTool ? 0 : SampleFields.Identifier);
        if ((fields & needed) != needed || (recorded.Attr.Flags & AttrFlags.SampleIdAll) == 0)
        {
            throw new InvalidDataException(byAnyTool
                ? $"holds events {recorded.Name} without their thread, time or CPU, as of one process or thread alone (`perf record -p`){PerfRecording.Again}"
                : $"Event {recorded.Name} was recorded without identifier, thread, time or CPU in each record.");
        }

        if ((fields & SampleFields.Read) != 0)
        {
            throw new InvalidDataException($"Event {recorded.Name} carries counter values (PERF_SAMPLE_READ), which this reader does not know.");
        }

        // Order of the fields: man perf_event_open, PERF_RECORD_SAMPLE.
        var isIdentified = (fields & SampleFields.Identifier) != 0;
        var at = HeaderBytes + Width(fields, SampleFields.Identifier);
        at += Width(fields, SampleFields.Ip);
        Tid = at;
        at += sizeof(ulong);
        Time = at;
        at += sizeof(ulong);
        at += Width(fields, SampleFields.Address);
        var hasId = (fields & SampleFields.Id) != 0;
        Id = isIdentified ? HeaderBytes : hasId ? at : -1;
        at += Width(fields, SampleFields.Id) + Width(fields, SampleFields.StreamId);
        Cpu = at;
        at += sizeof(ulong);
        Body = at + Width(fields, SampleFields.Period);
        HasCallChain = (fields & SampleFields.CallChain) != 0;
        IsInherited = (recorded.Attr.Flags & AttrFlags.Inherit) != 0;

        // The trailer of other records: TID TIME ID STREAM_ID CPU IDENTIFIER.
        CpuFromEnd = Width(fields, SampleFields.Identifier) + sizeof(ulong);
        IdFromEnd = isIdentified ? sizeof(ulong) : hasId ? CpuFromEnd + Width(fields, SampleFields.StreamId) + sizeof(ulong) : -1;
        TimeFromEnd = CpuFromEnd + Width(fields, SampleFields.StreamId) + Width(fields, SampleFields.Id) + sizeof(ulong);
        TrailerBytes = TimeFromEnd + sizeof(ulong);
    }

    internal EventKind Kind { get; private set; }

    /// <summary>The offset of the id in a sample; -1: it has none.</summary>
    internal int Id { get; }

    /// <summary>The offset of the id in other records; -1: they have none.</summary>
    internal int IdFromEnd { get; }

    internal int Tid { get; }

    internal int Time { get; }

    internal int Cpu { get; }

    /// <summary>The offset of the first byte after the fields of fixed size: call chain, then raw bytes.</summary>
    internal int Body { get; }

    internal bool HasCallChain { get; }

    /// <summary>True if new threads inherit the event from the thread that created them.</summary>
    internal bool IsInherited { get; }

    internal int TimeFromEnd { get; }

    internal int CpuFromEnd { get; }

    internal int TrailerBytes { get; }

    /// <summary>The minimum length of the raw part, bytes.</summary>
    internal int RawBytes { get; private set; }

    internal TracepointField CommonPid { get; private set; }

    internal TracepointField CommonFlags { get; private set; }

    /// <summary>prev_pid in sched_switch; otherwise the thread that the event is about.</summary>
    internal TracepointField Subject { get; private set; }

    internal TracepointField PrevState { get; private set; }

    internal TracepointField NextPid { get; private set; }

    internal TracepointField TargetCpu { get; private set; }

    /// <summary>Null if the event is not about a socket.</summary>
    internal SocketLayout? Socket { get; private set; }

    /// <param name="byAnyTool">True if another tool may have recorded it: it can have tracepoints that this reader does
    /// not use, and ids where `perf record` puts them.</param>
    /// <exception cref="InvalidDataException">A field that the reader needs was not recorded.</exception>
    internal static EventLayout Of(RecordedEvent recorded, bool byAnyTool = false)
    {
        var layout = new EventLayout(recorded, byAnyTool);
        if (recorded.Attr is { Type: PerfEventType.Software, Config: SoftwareEvent.CpuClock })
        {
            layout.Kind = EventKind.CpuClock;
        }
        else if (recorded.Attr.Type == PerfEventType.Tracepoint && (recorded.Attr.SampleType & SampleFields.Raw) != 0)
        {
            // Without a description, its records would go unread, and no message would say so.
            var format = TracepointFormat.Parse(recorded.Format ?? throw new InvalidDataException($"Tracepoint {recorded.Name} is not described."));
            if (!byAnyTool || KindOf(format) is not null)
            {
                layout.Describe(format);
            }
        }

        return layout;
    }

    /// <summary>Returns the waking thread; -1: a hardware interrupt, which belongs to no thread.</summary>
    internal int Waker(ReadOnlySpan<byte> raw) => (CommonFlags.Read(raw) & InHardInterrupt) != 0 ? -1 : (int)CommonPid.Read(raw);

    private static int Width(SampleFields fields, SampleFields field) => (fields & field) != 0 ? sizeof(ulong) : 0;

    /// <returns>Null if this reader does not use the tracepoint.</returns>
    private static EventKind? KindOf(TracepointFormat format) => format.Name switch
    {
        "sched_switch" => EventKind.Switch,
        "sched_waking" => EventKind.Waking,
        "sched_wakeup" => EventKind.Wakeup,
        "sched_wakeup_new" => EventKind.WakeupNew,
        "sched_process_exit" => EventKind.ProcessExit,
        "tcp_probe" => EventKind.SocketArrival,
        "sock_send_length" => EventKind.SocketSend,
        "sock_recv_length" => EventKind.SocketRead,
        "inet_sock_set_state" => EventKind.SocketState,
        _ => null,
    };

    private void Describe(TracepointFormat format)
    {
        Kind = KindOf(format) ?? throw new InvalidDataException($"There is no tracepoint {format.Name} in a recording of the scheduler.");
        if (Kind >= EventKind.SocketArrival)
        {
            Socket = new SocketLayout(Kind, format);
            RawBytes = Socket.RawBytes;
            return;
        }

        switch (Kind)
        {
            case EventKind.Switch:
                Subject = format["prev_pid"];
                PrevState = format["prev_state"];
                NextPid = format["next_pid"];
                break;
            case EventKind.ProcessExit:
                Subject = format["pid"];
                break;
            default:
                Subject = format["pid"];
                TargetCpu = format["target_cpu"];
                break;
        }

        CommonPid = format["common_pid"];
        CommonFlags = format["common_flags"];
        RawBytes = new[] { Subject, PrevState, NextPid, TargetCpu, CommonPid, CommonFlags }.Max(f => f.End);
    }
}
