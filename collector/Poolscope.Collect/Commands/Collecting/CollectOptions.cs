using System.Collections.ObjectModel;

namespace Poolscope.Collect.Commands.Collecting;

/// <summary>What <c>collect</c> was asked for. One of process id, name and command is set.</summary>
public sealed record CollectOptions
{
    /// <summary>As dotnet-trace's.</summary>
    public const int DefaultBufferMb = 256;

    public const long DefaultMaxBytes = 2L << 30;

    /// <summary>Below it, a capture would be full before it has begun.</summary>
    public const long LeastMaxBytes = 10L << 20;

    public static readonly TimeSpan DefaultSnapshots = TimeSpan.FromSeconds(1);

    public static readonly TimeSpan DefaultPollStep = TimeSpan.FromMilliseconds(10);

    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    public IReadOnlyList<string> Command { get; init; } = [];

    /// <summary>Folder of the capture; null: a name is made up.</summary>
    public string? Output { get; init; }

    /// <summary>Null: until stopped.</summary>
    public TimeSpan? Duration { get; init; }

    public long MaxBytes { get; init; } = DefaultMaxBytes;

    /// <summary>Room for events inside the target, MB per session.</summary>
    public int BufferMb { get; init; } = DefaultBufferMb;

    /// <summary>Mean time from one snapshot of all stacks to the next; zero: none are taken.</summary>
    public TimeSpan Snapshots { get; init; } = DefaultSnapshots;

    public KernelChoice Kernel { get; init; }

    public KernelScope Scope { get; init; }

    /// <summary>From one look at the threads to the next, for the tier that polls; 1 ms to 1 s.</summary>
    public TimeSpan PollStep { get; init; } = DefaultPollStep;

    /// <summary>Limits, goal and queue of the pool of a process that is attached to, from its memory.</summary>
    public bool Look { get; init; } = true;

    /// <summary>Waits and lock contention with their stacks, in a session of their own.</summary>
    public bool Waits { get; init; } = true;

    /// <summary>TCP sockets in the scheduler stream, where the tier can tell of them.</summary>
    public bool Sockets { get; init; } = true;

    /// <summary>The requests of ASP.NET Core and the calls through HttpClient.</summary>
    public bool Requests { get; init; } = true;

    /// <summary>Names of the ActivitySources whose activities are recorded; `*`: all; default: none.</summary>
    public IReadOnlyList<string> Activities { get; init; } = [];

    /// <summary>Of each capture, for `poolscope fleet` to group by; default: none.</summary>
    public IReadOnlyDictionary<string, string> Labels { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    public bool Decode { get; init; } = true;
}
