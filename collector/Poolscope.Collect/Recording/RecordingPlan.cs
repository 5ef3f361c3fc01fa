using System.Collections.ObjectModel;
using Poolscope.Collect.Kernel;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Recording;

/// <param name="Folder">An existing, empty folder.</param>
/// <param name="Runtime">The runtime, such as ".NET 10.0.12".</param>
/// <param name="BufferMb">The event buffer inside the target, in MB per session.</param>
/// <param name="MaxBytes">The limit of all streams and their tables together.</param>
/// <param name="Tables">Whether tables will be made, so that their size counts.</param>
/// <param name="Duration">The length of the recording, or null if something else ends it.</param>
/// <param name="SnapshotBeat">The mean time between two snapshots of all stacks, or null to take none.</param>
/// <param name="Waits">Whether to record waits with their stacks.</param>
/// <param name="Kernel">The acceptable kernel tiers, best first; empty for no kernel stream.</param>
/// <param name="KernelRequired">Whether a capture without its kernel stream is refused.</param>
/// <param name="PollStep">The time between two polls, for the tier that polls.</param>
/// <param name="OnlyTarget">Whether the tier that sees all processes keeps only the target's events.</param>
/// <param name="Sockets">Whether to record TCP sockets, if the tier supports them.</param>
/// <param name="Requests">Whether to record the requests of ASP.NET Core and the calls through HttpClient.</param>
/// <param name="Activities">The names of the ActivitySources whose activities are recorded; `*` means all.</param>
public sealed record RecordingPlan(
    string Folder,
    int Pid,
    bool Launched,
    string? Runtime,
    int BufferMb,
    long MaxBytes,
    bool Tables,
    TimeSpan? Duration,
    TimeSpan? SnapshotBeat,
    bool Waits,
    IReadOnlyList<IKernelTier> Kernel,
    bool KernelRequired,
    TimeSpan PollStep,
    bool OnlyTarget,
    bool Sockets,
    bool Requests,
    IReadOnlyList<string> Activities)
{
    /// <summary>The labels by which `poolscope fleet` groups captures.</summary>
    public IReadOnlyDictionary<string, string> Labels { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    /// <summary>The facts about the process, or null to read them from /proc.</summary>
    public TargetInfo? Target { get; init; }

    /// <summary>Whether to read the pool from the process's memory: at the start, if the process was running before,
    /// and at the end.</summary>
    public bool Look { get; init; }
}

/// <param name="Bytes">The bytes written by all streams.</param>
/// <param name="SchedulerEvents">The events of the kernel stream, or null if there is none.</param>
public readonly record struct RecordingProgress(TimeSpan Elapsed, long Bytes, long? SchedulerEvents, long SchedulerLost);
