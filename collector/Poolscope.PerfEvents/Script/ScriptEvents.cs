using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Script;

/// <summary>The events of a perf.data file made from text, with only the fields that the text has.</summary>
internal static class ScriptEvents
{
    internal const ulong Switch = 1;
    internal const ulong Waking = 2;
    internal const ulong Wakeup = 3;
    internal const ulong WakeupNew = 4;
    internal const ulong CpuClock = 5;
    internal const ulong Dummy = 6;

    /// <summary>The offset of the first field after those that all tracepoints have, bytes.</summary>
    internal const int FirstField = 8;

    private const SampleFields Basic = SampleFields.Identifier | SampleFields.Tid | SampleFields.Time | SampleFields.Cpu;

    // tracefs events/header_page and header_event. perf needs them, but nothing here depends on them.
    private static ReadOnlySpan<byte> HeaderPage =>
        "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"u8;

    private static ReadOnlySpan<byte> HeaderEvent =>
        "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n"u8;

    /// <param name="clock">The clock of the times.</param>
    internal static IReadOnlyList<RecordedEvent> Of(int clock) =>
    [
        Tracepoint(clock, "sched_switch", Switch, "prev_pid", "prev_state", "next_pid"),
        Tracepoint(clock, "sched_waking", Waking, "pid", "target_cpu"),
        Tracepoint(clock, "sched_wakeup", Wakeup, "pid", "target_cpu"),
        Tracepoint(clock, "sched_wakeup_new", WakeupNew, "pid", "target_cpu"),
        Software(clock, "cpu-clock", CpuClock, SoftwareEvent.CpuClock),
        Software(clock, "dummy:HG", Dummy, SoftwareEvent.Dummy),
    ];

    /// <summary>Returns the feature that describes the tracepoints.</summary>
    internal static byte[] TracingData(IEnumerable<RecordedEvent> events) =>
        Format.TracingData.Build(HeaderPage, HeaderEvent, events.Where(recorded => recorded.Format is not null).Select(recorded => ("sched", recorded.Format!)));

    private static RecordedEvent Tracepoint(int clock, string name, ulong id, params string[] fields)
    {
        var described = fields.Select((field, at) => $"\tfield:int {field};\toffset:{FirstField + (at * sizeof(int))};\tsize:4;\tsigned:1;\n");
        var print = $"\"{string.Join(' ', fields.Select(field => $"{field}=%d"))}\", {string.Join(", ", fields.Select(field => $"REC->{field}"))}";
        var format = $"name: {name}\nID: {id}\nformat:\n"
            + "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
            + "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
            + $"{string.Concat(described)}\nprint fmt: {print}\n";
        return new RecordedEvent($"sched:{name}", New(PerfEventType.Tracepoint, id, Basic | SampleFields.Raw, clock), [id], format);
    }

    private static RecordedEvent Software(int clock, string name, ulong id, ulong config) => new(name, New(PerfEventType.Software, config, Basic, clock), [id], null);

    private static PerfEventAttr New(PerfEventType type, ulong config, SampleFields fields, int clock) => new()
    {
        Type = type,
        Size = PerfEventAttr.Bytes,
        Config = config,
        SamplePeriod = 1,
        SampleType = fields,
        Flags = AttrFlags.SampleIdAll | AttrFlags.UseClockId,
        ClockId = clock,
    };
}
