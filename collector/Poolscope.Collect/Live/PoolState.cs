namespace Poolscope.Collect.Live;

/// <summary>What a watched process and its watcher are like in one second: the source of the view, the metrics and the lines of
/// JSON. Null: not known.</summary>
/// <param name="Phase">One of <see cref="WatchPhase"/>.</param>
public sealed record PoolState(DateTime TimeUtc, string Phase)
{
    public int? Pid { get; init; }

    /// <summary>Of the process, as `ps` shows it.</summary>
    public string? Name { get; init; }

    /// <summary>Such as ".NET 10.0.12".</summary>
    public string? Runtime { get; init; }

    /// <summary>Of the process, s.</summary>
    public double? UptimeS { get; init; }

    /// <summary>What is waited for, term by term; empty: nothing is.</summary>
    public IReadOnlyList<TermState> Terms { get; init; } = [];

    /// <summary>Whether the condition holds, with what `for` asks for.</summary>
    public bool? Holds { get; init; }

    /// <summary>Longest wait of the items that began in the last second, and so far of those that are queued, s. Null too where
    /// items are not followed one by one.</summary>
    public double? WaitS { get; init; }

    /// <summary>For how long each reading of the counter has shown queued items, s; 0: the latest showed none.</summary>
    public double? QueuedS { get; init; }

    /// <summary>Work items in the queues.</summary>
    public long? Queue { get; init; }

    /// <summary>Worker threads of the pool, idle ones too.</summary>
    public int? Threads { get; init; }

    /// <summary>How many threads the pool wants. Null before it first changes.</summary>
    public int? Goal { get; init; }

    /// <summary>Why it last changed, in the runtime's words: one of <see cref="GoalReasons"/>.</summary>
    public string? GoalReason { get; init; }

    /// <summary>How long ago it last changed, s.</summary>
    public double? GoalAgeS { get; init; }

    /// <summary>Threads that the pool added because of starvation, since the process is watched.</summary>
    public long? Starvations { get; init; }

    /// <summary>CPU of the process since its start, s.</summary>
    public CpuTime? Cpu { get; init; }

    /// <summary>Cores that the process used in the last second, on average.</summary>
    public double? Cores { get; init; }

    /// <summary>Work items that began since the process is watched. Null too where items are not followed one by one.</summary>
    public long? Begun { get; init; }

    /// <summary>Work items that began, per second.</summary>
    public double? BegunPerS { get; init; }

    /// <summary>Work items that ended since the process is watched, by the runtime's counter.</summary>
    public long? Completed { get; init; }

    /// <summary>Work items that ended, per second.</summary>
    public double? CompletedPerS { get; init; }

    /// <summary>Timers that are due some time.</summary>
    public long? Timers { get; init; }

    /// <summary>For how long the process has told nothing, s.</summary>
    public double? SilentS { get; init; }

    /// <summary>Events that the runtime dropped.</summary>
    public long? Lost { get; init; }

    /// <summary>How far back a capture would reach, s.</summary>
    public double? HistoryS { get; init; }

    /// <summary>Of captures and running recordings on the disk, bytes.</summary>
    public long? Bytes { get; init; }

    /// <summary>The limit of <see cref="Bytes"/>.</summary>
    public long? MaxBytes { get; init; }

    /// <summary>Captures that are kept.</summary>
    public int? Captures { get; init; }

    /// <summary>The limit of <see cref="Captures"/>.</summary>
    public int? Keep { get; init; }

    public Tally Tally { get; init; } = new(0, 0, 0, 0);

    /// <summary>The last minute, a moment each second, the latest last.</summary>
    public IReadOnlyList<Moment> Minute { get; init; } = [];

    /// <summary>What happened, the latest last.</summary>
    public IReadOnlyList<Note> Notes { get; init; } = [];
}

/// <summary>What a watcher does.</summary>
public static class WatchPhase
{
    /// <summary>For a process of the name.</summary>
    public const string Waiting = "waiting";

    /// <summary>Nothing has fired.</summary>
    public const string Watching = "watching";

    /// <summary>An incident is being recorded to its end.</summary>
    public const string Recording = "recording";

    /// <summary>Its capture is being written.</summary>
    public const string Writing = "writing";

    /// <summary>Nothing is recorded: `top`.</summary>
    public const string Observing = "observing";

    public static IReadOnlyList<string> OfWatch { get; } = [Waiting, Watching, Recording, Writing];
}

/// <summary>A part of a condition.</summary>
/// <param name="Text">As it was typed.</param>
/// <param name="Holds">Now; `for` aside.</param>
public sealed record TermState(string Text, bool Holds);

/// <summary>CPU time, s.</summary>
/// <param name="UserS">In user mode.</param>
/// <param name="SystemS">In the kernel.</param>
public sealed record CpuTime(double UserS, double SystemS);

/// <summary>How often something happened since the watcher began.</summary>
/// <param name="Fired">The condition fired: incidents.</param>
/// <param name="Captured">A capture was written.</param>
/// <param name="Failed">A capture could not be written.</param>
public sealed record Tally(long Fired, long Captured, long Failed, long Warnings);

/// <summary>A second of the past. Null: not known.</summary>
public sealed record Moment(double? WaitS, long? Queue, int? Threads);

/// <summary>Something that happened, in words.</summary>
/// <param name="Alarm">It is a warning or a failure.</param>
public sealed record Note(DateTime TimeUtc, string Text, bool Alarm);
