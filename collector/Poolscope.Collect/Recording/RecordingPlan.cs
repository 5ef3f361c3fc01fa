using System.Collections.ObjectModel;
using Poolscope.Collect.Kernel;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Recording;

/// <param name="Folder">Existing, empty.</param>
/// <param name="Runtime">Such as ".NET 10.0.12".</param>
/// <param name="BufferMb">Room for events inside the target, MB per session.</param>
/// <param name="MaxBytes">Of all streams and their tables together.</param>
/// <param name="Tables">They will be made, so their size counts.</param>
/// <param name="Duration">Null: until something else ends it.</param>
/// <param name="SnapshotBeat">Mean time from one snapshot of all stacks to the next; null: none are taken.</param>
/// <param name="Waits">Also waits with their stacks.</param>
/// <param name="Kernel">The kernel tiers that will do, best first; none: no kernel stream is wanted.</param>
/// <param name="KernelRequired">Without its kernel stream there is to be no capture.</param>
/// <param name="PollStep">For the tier that polls.</param>
/// <param name="OnlyTarget">For the tier that sees all processes.</param>
/// <param name="Sockets">TCP sockets too, for the tier that can tell of them.</param>
/// <param name="Requests">The requests of ASP.NET Core and the calls through HttpClient too.</param>
/// <param name="Activities">Names of the ActivitySources whose activities are recorded; `*`: all.</param>
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
    /// <summary>Of the capture, for `poolscope fleet` to group by.</summary>
    public IReadOnlyDictionary<string, string> Labels { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    /// <summary>What is known of the process; null: /proc is asked.</summary>
    public TargetInfo? Target { get; init; }

    /// <summary>The pool of a process that is attached to is read from its memory at the start.</summary>
    public bool Look { get; init; }
}

/// <param name="Bytes">Written by all streams.</param>
/// <param name="SchedulerEvents">Null: there is no kernel stream.</param>
public readonly record struct RecordingProgress(TimeSpan Elapsed, long Bytes, long? SchedulerEvents, long SchedulerLost);
