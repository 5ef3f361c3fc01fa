using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>An event to open on every CPU.</summary>
/// <param name="Format">Text of the tracepoint's `format` file; null for other events.</param>
internal sealed record EventRequest(string Name, PerfEventAttr Attr, string? Format);

/// <summary>The events of a scheduler recording.</summary>
internal static class SchedulerEvents
{
    internal const string System = "sched";

    private const int ClockMonotonic = 1;

    // The fewest fields that perf script, perf sched and Poolscope's reader need. perf's own default adds 16 bytes (IP,
    // PERIOD) to every record, which say nothing about a tracepoint.
    private const SampleFields Basic = SampleFields.Identifier | SampleFields.Tid | SampleFields.Time | SampleFields.Cpu;

    private const SampleFields Sampled = Basic | SampleFields.Ip | SampleFields.Period | SampleFields.CallChain;

    // Not sched_wakeup: it completes what sched_waking began, and costs the waker a second record. If a woken thread
    // turned out not to sleep, its next wake-up shows it (ThreadHistories).
    private static readonly string[] Tracepoints = ["sched_switch", "sched_waking", "sched_wakeup_new", "sched_process_exit"];

    /// <summary>Returns all events. The dummy comes first: its records name the threads in the records of the
    /// others.</summary>
    internal static IReadOnlyList<EventRequest> All(Tracefs tracefs, int sampleFrequencyHz) =>
        [Dummy(), .. Tracepoints.Select(name => Tracepoint(tracefs, name)), CpuClock(sampleFrequencyHz)];

    /// <summary>Returns the event that carries names, births, deaths and executable mappings. It counts nothing
    /// itself.</summary>
    internal static EventRequest Dummy()
    {
        var attr = New(PerfEventType.Software, SoftwareEvent.Dummy, Basic);
        attr.SamplePeriod = 1;
        attr.Flags |= AttrFlags.Mmap | AttrFlags.Mmap2 | AttrFlags.Comm | AttrFlags.CommExec | AttrFlags.Task;
        return new EventRequest("dummy:HG", attr, null);
    }

    /// <summary>Returns the additional events for machines with silent tasks. There, the next wake-up may not be
    /// recorded, so sched_wakeup must show how this one ended. The other event has the switches of silent
    /// tasks.</summary>
    internal static IReadOnlyList<EventRequest> ForSilentTasks(Tracefs tracefs) => [Tracepoint(tracefs, "sched_wakeup"), SwitchRecords()];

    /// <summary>Returns the perf core's own record of every switch (PERF_RECORD_SWITCH_CPU_WIDE), written when the new
    /// thread is already current. It costs two records per switch, so only machines with silent tasks get it.</summary>
    private static EventRequest SwitchRecords()
    {
        var attr = New(PerfEventType.Software, SoftwareEvent.Dummy, Basic);
        attr.SamplePeriod = 1;
        attr.Flags |= AttrFlags.ContextSwitch;
        return new EventRequest("dummy:switches", attr, null);
    }

    /// <summary>Returns the event of one process's own threads: their switches (PERF_RECORD_SWITCH), births, names,
    /// deaths and mappings, and samples of where they compute. The kernel reports these to every user for processes of
    /// their own. One event reports it all, because each event takes a descriptor per thread and CPU.</summary>
    internal static EventRequest OwnThreads(int sampleFrequencyHz)
    {
        var attr = New(PerfEventType.Software, SoftwareEvent.CpuClock, Sampled);
        attr.SamplePeriod = (ulong)sampleFrequencyHz;
        attr.Flags |= AttrFlags.Inherit | AttrFlags.InheritThread | AttrFlags.ExcludeKernel | AttrFlags.ExcludeHypervisor
            | AttrFlags.ContextSwitch | AttrFlags.Comm | AttrFlags.Task | AttrFlags.Mmap | AttrFlags.Mmap2
            | AttrFlags.Frequency | AttrFlags.ExcludeCallChainKernel;
        return new EventRequest("cpu-clock:u", attr, null);
    }

    internal static EventRequest Tracepoint(Tracefs tracefs, string name) => Tracepoint(tracefs, System, name);

    internal static EventRequest Tracepoint(Tracefs tracefs, string system, string name)
    {
        var attr = New(PerfEventType.Tracepoint, tracefs.Id(system, name), Basic | SampleFields.Raw);
        attr.SamplePeriod = 1; // every hit
        return new EventRequest($"{system}:{name}", attr, tracefs.Format(system, name));
    }

    /// <summary>Returns samples of the running thread, with its user call chain. The idle task is left out: the
    /// switches show it.</summary>
    private static EventRequest CpuClock(int frequencyHz)
    {
        var attr = New(PerfEventType.Software, SoftwareEvent.CpuClock, Sampled);
        attr.SamplePeriod = (ulong)frequencyHz;
        attr.Flags |= AttrFlags.Frequency | AttrFlags.ExcludeCallChainKernel | AttrFlags.ExcludeIdle;
        return new EventRequest("cpu-clock", attr, null);
    }

    private static PerfEventAttr New(PerfEventType type, ulong config, SampleFields fields) => new()
    {
        Type = type,
        Size = PerfEventAttr.Bytes,
        Config = config,
        SampleType = fields,
        ReadFormat = ReadFields.Id | ReadFields.Lost,
        Flags = AttrFlags.Disabled | AttrFlags.SampleIdAll | AttrFlags.UseClockId,
        ClockId = ClockMonotonic,
    };
}
