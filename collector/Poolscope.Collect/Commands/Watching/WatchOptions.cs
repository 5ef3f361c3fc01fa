using System.Collections.ObjectModel;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Metrics;
using Poolscope.Collect.Watching;

namespace Poolscope.Collect.Commands.Watching;

/// <summary>What <c>watch</c> was asked for. One of process id and name is set.</summary>
public sealed record WatchOptions
{
    public const string DefaultOutput = "poolscope-watch";

    public const int DefaultKeep = 5;

    public const long DefaultMaxBytes = 4L << 30;

    /// <summary>What is recorded, the capture that is made of it and two that are kept must fit, each as large as the least of
    /// `collect`.</summary>
    public const long LeastMaxBytes = Shares * CollectOptions.LeastMaxBytes;

    /// <summary>One for what is recorded, one for the capture that is being made, two for captures that are kept.</summary>
    public const int Shares = 4;

    public static readonly TimeSpan DefaultBefore = TimeSpan.FromSeconds(60);

    public static readonly TimeSpan DefaultAfter = TimeSpan.FromSeconds(30);

    /// <summary>Half as many as `collect` takes: for as long as items begin in time they tell little.</summary>
    public static readonly TimeSpan DefaultSnapshots = TimeSpan.FromSeconds(2);

    public int? ProcessId { get; init; }

    public string? Name { get; init; }

    public required WatchCondition When { get; init; }

    /// <summary>A capture begins this long before what its condition fired for, at least; 1 s to 1 h.</summary>
    public TimeSpan Before { get; init; } = DefaultBefore;

    /// <summary>And so far beyond it; 1 s to 1 h.</summary>
    public TimeSpan After { get; init; } = DefaultAfter;

    /// <summary>Captures to keep; the oldest goes.</summary>
    public int Keep { get; init; } = DefaultKeep;

    /// <summary>Folder of the captures.</summary>
    public string Output { get; init; } = DefaultOutput;

    /// <summary>Bytes of everything in the folder that a watcher makes.</summary>
    public long MaxBytes { get; init; } = DefaultMaxBytes;

    /// <summary>A program that gets each capture as its argument; null: none.</summary>
    public string? Exec { get; init; }

    public bool Json { get; init; }

    /// <summary>A view on the terminal, if there is one; not together with <see cref="Json"/>.</summary>
    public bool Live { get; init; }

    /// <summary>Where metrics are served; null: nowhere.</summary>
    public MetricsAddress? Metrics { get; init; }

    public KernelChoice Kernel { get; init; }

    /// <summary>Whether the process's memory is read once the condition is met: what limits its pool has, and what is queued.</summary>
    public bool Look { get; init; } = true;

    /// <summary>Unlike `collect`: the whole system takes several times the room, for weeks.</summary>
    public KernelScope Scope { get; init; } = KernelScope.Target;

    /// <summary>Mean time from one snapshot of all stacks to the next, while items begin in time; zero: none are taken.</summary>
    public TimeSpan Snapshots { get; init; } = DefaultSnapshots;

    /// <summary>Of each capture, for `poolscope fleet` to group by; default: none.</summary>
    public IReadOnlyDictionary<string, string> Labels { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    public bool Decode { get; init; } = true;
}
