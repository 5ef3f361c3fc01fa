namespace Poolscope.PerfEvents;

/// <param name="Folder">Existing, writable folder that gets <see cref="SchedulerRecording.DataFileName"/> and
/// <see cref="SchedulerRecording.MetaFileName"/>; both are replaced.</param>
public sealed record SchedulerRecordingOptions(string Folder)
{
    /// <summary>Bytes that the data file may take; at least 1 MiB, default 2 GiB (about two minutes of 100,000 switches
    /// per second). The recording stops itself shortly before.</summary>
    public long MaxBytes { get; init; } = 2L << 30;

    /// <summary>CPU samples per second and CPU, 1 to 10,000. 99 and not 100, so as not to beat with periodic work.</summary>
    public int SampleFrequencyHz { get; init; } = 99;

    /// <summary>Ring buffer per CPU, bytes: a power of two, at least one page; default 1 MiB, which 100,000 switches a second
    /// fill in 50 ms. Smaller rings are used where all of them together would take more than 256 MiB or a quarter of
    /// <see cref="MaxBytes"/>.</summary>
    public int RingBytesPerCpu { get; init; } = 1 << 20;

    /// <summary>Default: where needed. The others are for comparisons.</summary>
    public SilentTaskEvents SilentTasks { get; init; }

    /// <summary>Process whose executable mappings are written at the start, for symbols; null: every process.</summary>
    public int? TargetPid { get; init; }

    /// <summary>Writes only what concerns <see cref="TargetPid"/>: switches to and from its threads, their wake-ups, its CPU
    /// samples. The kernel still reports everything, and the recorder sorts it out. Default: all processes.</summary>
    public bool OnlyTarget { get; init; }

    /// <summary>Records TCP sockets too: data that arrives, sends, reads, connections that come and go. What arrives cannot be reported by process, so it is recorded of all of them. Not where the kernel has no such events
    /// (<see cref="SchedulerRecording.SocketsRefused"/>). Default: no.</summary>
    public bool Sockets { get; init; }
}

/// <summary>Whether to record what stands in for tasks that fire no tracepoint; it about doubles the cost.</summary>
public enum SilentTaskEvents
{
    /// <summary>Where there are such tasks (<see cref="SchedulerRecording.SilentCpus"/>).</summary>
    WhereNeeded,

    /// <summary>Never, as perf does: switches of silent tasks are missing then.</summary>
    Never,

    Always,
}

/// <param name="Events">Sample records written: scheduler events and CPU samples.</param>
/// <param name="Bytes">Size of the data file, bytes.</param>
/// <param name="Lost">Events that the kernel dropped because a ring was full.</param>
/// <param name="ReachedMaxBytes">The recording stopped itself at <see cref="SchedulerRecordingOptions.MaxBytes"/>.</param>
/// <param name="CpuNs">CPU time that the threads which empty the rings and write the file have used.</param>
/// <param name="StalledNs">How long the emptying of the rings waited for the disk, because every buffer was full.</param>
public readonly record struct SchedulerRecordingProgress(long Events, long Bytes, long Lost, bool ReachedMaxBytes, long CpuNs, long StalledNs);
