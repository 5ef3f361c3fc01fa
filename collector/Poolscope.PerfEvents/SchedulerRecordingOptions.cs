namespace Poolscope.PerfEvents;

/// <param name="Folder">Existing, writable folder that receives <see cref="SchedulerRecording.DataFileName"/> and
/// <see cref="SchedulerRecording.MetaFileName"/>; existing files are replaced.</param>
public sealed record SchedulerRecordingOptions(string Folder)
{
    /// <summary>The maximum size of the data file, bytes: at least 1 MiB, default 2 GiB (about two minutes of 100,000
    /// switches per second). The recording stops itself shortly before.</summary>
    public long MaxBytes { get; init; } = 2L << 30;

    /// <summary>CPU samples per second and CPU, 1 to 10,000. 99 rather than 100, so that samples do not fall into step
    /// with periodic work.</summary>
    public int SampleFrequencyHz { get; init; } = 99;

    /// <summary>The ring buffer of each CPU, bytes: a power of two, at least one page. The default is 1 MiB, which
    /// 100,000 switches per second fill in 50 ms. Rings are smaller if all of them together would take more than 256
    /// MiB or a quarter of <see cref="MaxBytes"/>.</summary>
    public int RingBytesPerCpu { get; init; } = 1 << 20;

    /// <summary>Default: where needed. The other values are for comparisons.</summary>
    public SilentTaskEvents SilentTasks { get; init; }

    /// <summary>Process whose executable mappings are written at the start, for symbols; null: every process.</summary>
    public int? TargetPid { get; init; }

    /// <summary>Writes only records about <see cref="TargetPid"/>: switches to and from its threads, their wake-ups,
    /// its CPU samples. The kernel still reports everything, and the recorder filters it. Default: all
    /// processes.</summary>
    public bool OnlyTarget { get; init; }

    /// <summary>Also records TCP sockets: arriving data, sends, reads, and connections that open and close. The kernel
    /// cannot report arrivals by process, so they are recorded for all processes. If the kernel lacks such events, none
    /// are recorded (<see cref="SchedulerRecording.SocketsRefused"/>). Default: no.</summary>
    public bool Sockets { get; init; }
}

/// <summary>Whether to record events in place of the tracepoints that silent tasks do not fire. They about double the
/// cost.</summary>
public enum SilentTaskEvents
{
    /// <summary>If the machine has such tasks (<see cref="SchedulerRecording.SilentCpus"/>).</summary>
    WhereNeeded,

    /// <summary>Never, like perf: switches of silent tasks are then missing.</summary>
    Never,

    Always,
}

/// <param name="Events">Sample records written: scheduler events and CPU samples.</param>
/// <param name="Bytes">Size of the data file, bytes.</param>
/// <param name="Lost">Events that the kernel dropped because a ring was full.</param>
/// <param name="ReachedMaxBytes">True if the recording stopped itself at
/// <see cref="SchedulerRecordingOptions.MaxBytes"/>.</param>
/// <param name="CpuNs">CPU time of the threads that empty the rings and write the file, ns.</param>
/// <param name="StalledNs">Time that the emptying of the rings waited for the disk because every buffer was full,
/// ns.</param>
public readonly record struct SchedulerRecordingProgress(long Events, long Bytes, long Lost, bool ReachedMaxBytes, long CpuNs, long StalledNs);
