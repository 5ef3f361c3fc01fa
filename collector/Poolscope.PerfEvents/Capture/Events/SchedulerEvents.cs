using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>What is to be opened on every CPU.</summary>
/// <param name="Format">Text of the tracepoint's `format` file; null for other events.</param>
internal sealed record EventRequest(string Name, PerfEventAttr Attr, string? Format);

/// <summary>The events of a scheduler recording.</summary>
internal static class SchedulerEvents
{
    internal const string System = "sched";

    private const int ClockMonotonic = 1;

    // The least that perf script, perf sched and our reader need. perf's own default adds 16 bytes (IP, PERIOD) to
    // every record, which for a tracepoint say nothing.
    private const SampleFields Basic = SampleFields.Identifier | SampleFields.Tid | SampleFields.Time | SampleFields.Cpu;

    private const SampleFields Sampled = Basic | SampleFields.Ip | SampleFields.Period | SampleFields.CallChain;

    // Not sched_wakeup: it completes what sched_waking began, and costs the waker a second record. A wake-up of a thread that
    // turned out not to sleep shows by the next one (ThreadHistories).
    private static readonly string[] Tracepoints = ["sched_switch", "sched_waking", "sched_wakeup_new", "sched_process_exit"];

    /// <summary>The dummy comes first: its records name the threads that the others speak of.</summary>
    internal static IReadOnlyList<EventRequest> All(Tracefs tracefs, int sampleFrequencyHz) =>
        [Dummy(), .. Tracepoints.Select(name => Tracepoint(tracefs, name)), CpuClock(sampleFrequencyHz)];

    /// <summary>Carries names, births, deaths and executable mappings; counts nothing itself.</summary>
    internal static EventRequest Dummy()
    {
        var attr = New(PerfEventType.Software, SoftwareEvent.Dummy, Basic);
        attr.SamplePeriod = 1;
        attr.Flags |= AttrFlags.Mmap | AttrFlags.Mmap2 | AttrFlags.Comm | AttrFlags.CommExec | AttrFlags.Task;
        return new EventRequest("dummy:HG", attr, null);
    }

    /// <summary>What machines with silent tasks get in addition: there the next wake-up may be one that nobody shows, so how
    /// this one ended must be reported; and the switches of silent tasks.</summary>
    internal static IReadOnlyList<EventRequest> ForSilentTasks(Tracefs tracefs) => [Tracepoint(tracefs, "sched_wakeup"), SwitchRecords()];

    /// <summary>Records of the perf core itself at every switch (PERF_RECORD_SWITCH_CPU_WIDE), written when the new thread
    /// is current already. They cost two records per switch, so only machines with silent tasks get them.</summary>
    private static EventRequest SwitchRecords()
    {
        var attr = New(PerfEventType.Software, SoftwareEvent.Dummy, Basic);
        attr.SamplePeriod = 1;
        attr.Flags |= AttrFlags.ContextSwitch;
        return new EventRequest("dummy:switches", attr, null);
    }

    /// <summary>Comings and goings of one process's threads (PERF_RECORD_SWITCH), with their births, names, deaths and mappings,
    /// and samples of where they compute: what the kernel tells everyone about processes of their own. One event for all of
    /// it, for each takes a descriptor per thread and CPU.</summary>
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

    /// <summary>Samples of whatever runs, with its user call chain. The idle task is left out: it comes from the switches.</summary>
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
