namespace Poolscope.PerfEvents.Format;

/// <summary>Types of the records in a perf.data file. The kernel writes types below 64 (enum perf_event_type in
/// linux/perf_event.h); the recorder writes those from 64 on (enum perf_user_event_type in tools/lib/perf).</summary>
internal enum RecordType : uint
{
    Mmap = 1,
    Lost = 2,
    Comm = 3,
    Exit = 4,
    Throttle = 5,
    Unthrottle = 6,
    Fork = 7,
    Sample = 9,
    Mmap2 = 10,
    LostSamples = 13,
    Switch = 14,
    SwitchCpuWide = 15,
    FirstOfRecorder = 64,
    TracingData = 66,
    FinishedRound = 68,
    AuxTrace = 71,
    Compressed = 81,
    Compressed2 = 83,
}

/// <summary>Bits of a record header's `misc`. The low ones name the address space that the record is about.</summary>
internal static class RecordMisc
{
    internal const ushort Kernel = 1;
    internal const ushort User = 2;

    /// <summary>Set on a switch record if the thread leaves its CPU, not set if it comes.</summary>
    internal const ushort SwitchOut = 0x2000;

    /// <summary>Set beside <see cref="SwitchOut"/> if the thread was preempted and is still runnable.</summary>
    internal const ushort SwitchOutPreempt = 0x4000;
}

/// <summary>The fields of a SAMPLE record (enum perf_event_sample_format). EventLayout defines their order.</summary>
[Flags]
internal enum SampleFields : ulong
{
    None = 0,
    Ip = 1,
    Tid = 1 << 1,
    Time = 1 << 2,
    Address = 1 << 3,
    Read = 1 << 4,
    CallChain = 1 << 5,
    Id = 1 << 6,
    Cpu = 1 << 7,
    Period = 1 << 8,
    StreamId = 1 << 9,
    Raw = 1 << 10,
    Identifier = 1 << 16,
}

/// <summary>Bits of perf.data's feature table (tools/perf/util/header.h).</summary>
internal enum HeaderFeature
{
    TracingData = 1,
    HostName = 3,
    OsRelease = 4,
    Version = 5,
    Architecture = 6,
    CpuCount = 7,
    CpuDescription = 8,
    TotalMemory = 10,
    CommandLine = 11,
    EventDescription = 12,
    AuxTrace = 18,
    SampleTime = 21,
    ClockId = 23,
    Directory = 24,
    Compressed = 27,
    ClockData = 29,
}
