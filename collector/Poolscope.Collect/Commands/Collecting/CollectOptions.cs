using System.Collections.ObjectModel;

namespace Poolscope.Collect.Commands.Collecting;

/// <summary>The options of <c>collect</c>. Exactly one of process id, name and command is set.</summary>
public sealed record CollectOptions
{
    /// <summary>The same default as dotnet-trace.</summary>
    public const int DefaultBufferMb = 256;

    public const long DefaultMaxBytes = 2L << 30;

    /// <summary>The smallest size limit. A smaller capture would be full before recording begins.</summary>
    public const long LeastMaxBytes = 10L << 20;

    public static readonly TimeSpan DefaultSnapshots = TimeSpan.FromSeconds(1);

    public static readonly TimeSpan DefaultPollStep = TimeSpan.FromMilliseconds(10);

    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    public IReadOnlyList<string> Command { get; init; } = [];

    /// <summary>The folder of the capture, or null to generate a name.</summary>
    public string? Output { get; init; }

    /// <summary>The length of the recording, or null to record until stopped.</summary>
    public TimeSpan? Duration { get; init; }

    public long MaxBytes { get; init; } = DefaultMaxBytes;

    /// <summary>The event buffer inside the target, in MB per session.</summary>
    public int BufferMb { get; init; } = DefaultBufferMb;

    /// <summary>The mean time between two snapshots of all stacks, or zero to take none.</summary>
    public TimeSpan Snapshots { get; init; } = DefaultSnapshots;

    public KernelChoice Kernel { get; init; }

    public KernelScope Scope { get; init; }

    /// <summary>The time between two polls of the threads, 1 ms to 1 s, for the tier that polls.</summary>
    public TimeSpan PollStep { get; init; } = DefaultPollStep;

    /// <summary>Whether to read the limits, goal and queue of a running target's pool from its memory.</summary>
    public bool Look { get; init; } = true;

    /// <summary>Whether to record waits and lock contention with their stacks, in a separate session.</summary>
    public bool Waits { get; init; } = true;

    /// <summary>Whether to record TCP sockets in the scheduler stream, if the tier supports them.</summary>
    public bool Sockets { get; init; } = true;

    /// <summary>Whether to record the requests of ASP.NET Core and the calls through HttpClient.</summary>
    public bool Requests { get; init; } = true;

    /// <summary>The names of the ActivitySources to record. `*` means all; the default is none.</summary>
    public IReadOnlyList<string> Activities { get; init; } = [];

    /// <summary>The labels by which `poolscope fleet` groups captures; none by default.</summary>
    public IReadOnlyDictionary<string, string> Labels { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    public bool Decode { get; init; } = true;
}
