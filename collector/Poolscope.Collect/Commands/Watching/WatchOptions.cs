using System.Collections.ObjectModel;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Metrics;
using Poolscope.Collect.Watching;

namespace Poolscope.Collect.Commands.Watching;

/// <summary>The options of <c>watch</c>. Exactly one of process id and name is set.</summary>
public sealed record WatchOptions
{
    public const string DefaultOutput = "poolscope-watch";

    public const int DefaultKeep = 5;

    public const long DefaultMaxBytes = 4L << 30;

    /// <summary>The smallest size limit. Each share must hold the smallest capture of `collect`.</summary>
    public const long LeastMaxBytes = Shares * CollectOptions.LeastMaxBytes;

    /// <summary>The shares of the size limit: one for the current recording, one for the capture being made, two for
    /// kept captures.</summary>
    public const int Shares = 4;

    public static readonly TimeSpan DefaultBefore = TimeSpan.FromSeconds(60);

    public static readonly TimeSpan DefaultAfter = TimeSpan.FromSeconds(30);

    /// <summary>Half as many as `collect` takes: snapshots say little while items begin in time.</summary>
    public static readonly TimeSpan DefaultSnapshots = TimeSpan.FromSeconds(2);

    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    public required WatchCondition When { get; init; }

    /// <summary>The least time that a capture covers before the cause of its firing, 1 s to 1 h.</summary>
    public TimeSpan Before { get; init; } = DefaultBefore;

    /// <summary>The time for which recording goes on afterwards, 1 s to 1 h.</summary>
    public TimeSpan After { get; init; } = DefaultAfter;

    /// <summary>The number of captures to keep; the oldest is deleted.</summary>
    public int Keep { get; init; } = DefaultKeep;

    /// <summary>The folder of the captures.</summary>
    public string Output { get; init; } = DefaultOutput;

    /// <summary>The most bytes that all files of the watcher in the folder may take.</summary>
    public long MaxBytes { get; init; } = DefaultMaxBytes;

    /// <summary>A program that runs for each capture, with the capture as its argument, or null for none.</summary>
    public string? Exec { get; init; }

    public bool Json { get; init; }

    /// <summary>Whether to show a view on the terminal, if any; not together with <see cref="Json"/>.</summary>
    public bool Live { get; init; }

    /// <summary>The address at which metrics are served, or null to serve none.</summary>
    public MetricsAddress? Metrics { get; init; }

    public KernelChoice Kernel { get; init; }

    /// <summary>Whether to read the pool's limits and queue from memory when the condition is met.</summary>
    public bool Look { get; init; } = true;

    /// <summary>Unlike `collect`, only the target: over weeks, all processes take several times the space.</summary>
    public KernelScope Scope { get; init; } = KernelScope.Target;

    /// <summary>The mean time between snapshots of all stacks while items begin in time; zero takes none.</summary>
    public TimeSpan Snapshots { get; init; } = DefaultSnapshots;

    /// <summary>The labels by which `poolscope fleet` groups captures; none by default.</summary>
    public IReadOnlyDictionary<string, string> Labels { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    public bool Decode { get; init; } = true;
}
