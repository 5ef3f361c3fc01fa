namespace Poolscope.Collect.Live;

/// <summary>The state of a watched process and of its watcher in one second: the source of the view, the metrics and
/// the lines of JSON. Null means unknown.</summary>
/// <param name="Phase">One of <see cref="WatchPhase"/>.</param>
public sealed record PoolState(DateTime TimeUtc, string Phase)
{
    public int? Pid { get; init; }

    /// <summary>The name of the process, as `ps` shows it.</summary>
    public string? Name { get; init; }

    /// <summary>The runtime, such as ".NET 10.0.12".</summary>
    public string? Runtime { get; init; }

    /// <summary>The time since the process started, in s.</summary>
    public double? UptimeS { get; init; }

    /// <summary>The terms of the condition; empty if there is no condition.</summary>
    public IReadOnlyList<TermState> Terms { get; init; } = [];

    /// <summary>Whether the condition holds, with the time that `for` requires.</summary>
    public bool? Holds { get; init; }

    /// <summary>The longest wait, in s, of the items that began in the last second and, so far, of those in the queue.
    /// Also null if items are not followed one by one.</summary>
    public double? WaitS { get; init; }

    /// <summary>The time, in s, for which every reading has shown queued items; 0 if the latest showed none.</summary>
    public double? QueuedS { get; init; }

    /// <summary>The work items in the queues.</summary>
    public long? Queue { get; init; }

    /// <summary>The worker threads of the pool, including idle ones.</summary>
    public int? Threads { get; init; }

    /// <summary>The number of threads that the pool wants. Null before it first changes.</summary>
    public int? Goal { get; init; }

    /// <summary>The runtime's reason for the goal's last change: one of <see cref="GoalReasons"/>.</summary>
    public string? GoalReason { get; init; }

    /// <summary>The time since the goal last changed, in s.</summary>
    public double? GoalAgeS { get; init; }

    /// <summary>The threads that the pool added because of starvation, since watching began.</summary>
    public long? Starvations { get; init; }

    /// <summary>The CPU time of the process since its start, in s.</summary>
    public CpuTime? Cpu { get; init; }

    /// <summary>The cores that the process used in the last second, on average.</summary>
    public double? Cores { get; init; }

    /// <summary>The work items begun since watching began. Also null if items are not followed one by one.</summary>
    public long? Begun { get; init; }

    /// <summary>The work items that began, per second.</summary>
    public double? BegunPerS { get; init; }

    /// <summary>The work items that ended since watching began, by the runtime's counter.</summary>
    public long? Completed { get; init; }

    /// <summary>The work items that ended, per second.</summary>
    public double? CompletedPerS { get; init; }

    /// <summary>The timers that are due at some time.</summary>
    public long? Timers { get; init; }

    /// <summary>The time since the last event of the process, in s.</summary>
    public double? SilentS { get; init; }

    /// <summary>The events that the runtime dropped.</summary>
    public long? Lost { get; init; }

    /// <summary>The time that a capture would reach back, in s.</summary>
    public double? HistoryS { get; init; }

    /// <summary>The bytes of captures and running recordings on the disk.</summary>
    public long? Bytes { get; init; }

    /// <summary>The limit of <see cref="Bytes"/>.</summary>
    public long? MaxBytes { get; init; }

    /// <summary>The number of kept captures.</summary>
    public int? Captures { get; init; }

    /// <summary>The limit of <see cref="Captures"/>.</summary>
    public int? Keep { get; init; }

    public Tally Tally { get; init; } = new(0, 0, 0, 0);

    /// <summary>The last minute, one moment for each second, the latest last.</summary>
    public IReadOnlyList<Moment> Minute { get; init; } = [];

    /// <summary>The latest events in words, the latest last.</summary>
    public IReadOnlyList<Note> Notes { get; init; } = [];
}

/// <summary>The phases of a watcher.</summary>
public static class WatchPhase
{
    /// <summary>The watcher waits for a process with the name.</summary>
    public const string Waiting = "waiting";

    /// <summary>The watcher watches, and nothing has fired.</summary>
    public const string Watching = "watching";

    /// <summary>The watcher records an incident to its end.</summary>
    public const string Recording = "recording";

    /// <summary>The watcher writes the capture of an incident.</summary>
    public const string Writing = "writing";

    /// <summary>`top` shows a process and records nothing.</summary>
    public const string Observing = "observing";

    public static IReadOnlyList<string> OfWatch { get; } = [Waiting, Watching, Recording, Writing];
}

/// <summary>A term of a condition.</summary>
/// <param name="Text">The term as typed.</param>
/// <param name="Holds">Whether the term holds now, regardless of `for`.</param>
public sealed record TermState(string Text, bool Holds);

/// <summary>CPU time, in s.</summary>
/// <param name="UserS">The time in user mode.</param>
/// <param name="SystemS">The time in the kernel.</param>
public sealed record CpuTime(double UserS, double SystemS);

/// <summary>The counts of events since the watcher began.</summary>
/// <param name="Fired">Incidents: the times that the condition fired.</param>
/// <param name="Captured">Captures that were written.</param>
/// <param name="Failed">Captures that could not be written.</param>
public sealed record Tally(long Fired, long Captured, long Failed, long Warnings);

/// <summary>A second of the past. Null means unknown.</summary>
public sealed record Moment(double? WaitS, long? Queue, int? Threads);

/// <summary>An event in words.</summary>
/// <param name="Alarm">Whether it is a warning or a failure.</param>
public sealed record Note(DateTime TimeUtc, string Text, bool Alarm);
