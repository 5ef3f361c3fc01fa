using System.Text.Json.Serialization;

namespace Poolscope.Look.Lines;

/// <summary>One finding of the reading process. One of the properties is set. The reader may die after any
/// line.</summary>
public sealed record LookLine
{
    public RuntimeLine? Runtime { get; init; }

    public PoolLine? Pool { get; init; }

    public QueuesLine? Queues { get; init; }

    /// <summary>The number of threads that will follow.</summary>
    public int? Threads { get; init; }

    public ThreadLine? Thread { get; init; }

    public LockLine? Lock { get; init; }

    public TimerLine? Timer { get; init; }

    /// <summary>The reason why nothing can be read, as one line for the user.</summary>
    public string? Error { get; init; }

    /// <summary>Set on the last line of a reading that reached its end. False: time ran out, or the memory changed
    /// meanwhile.</summary>
    public bool? Complete { get; init; }
}

/// <param name="Version">Such as 10.0.12; null: not known.</param>
/// <param name="Library">Path of the runtime's library, as the target sees it.</param>
/// <param name="Modules">Path of each managed module.</param>
public sealed record RuntimeLine(string? Version, string Library, IReadOnlyList<string> Modules);

/// <summary>The pool's limits and threads. Null: this runtime does not provide the value.</summary>
/// <param name="Goal">The number of threads that the pool wants.</param>
/// <param name="Active">Workers that look for items or run them.</param>
/// <param name="Completed">Items that have ended since the start.</param>
/// <param name="Runnable">Threads of the whole machine that run or want to; null for a dump, or if not known.</param>
/// <param name="AtMs">The time of the reading: milliseconds on the machine's monotonic clock.</param>
public sealed record PoolLine(int? Minimum, int? Maximum, int? Goal, int? Active, int? Idle, long? Completed, long AtMs, int? Runnable = null)
{
    [JsonIgnore]
    public int? Threads => Active + Idle;

    /// <summary>Gets a value indicating whether the pool has an idle thread that it would let take an item.</summary>
    [JsonIgnore]
    public bool HasFree => Idle > 0 && !(Active >= Goal);

    [JsonIgnore]
    public bool IsAtMaximum => Threads >= Maximum;
}

/// <param name="Items">Queued items, grouped by the method that they call, the most frequent first.</param>
/// <param name="Complete">True if every queue was read to its end.</param>
public sealed record QueuesLine(IReadOnlyList<QueueLine> Queues, IReadOnlyList<QueuedItems> Items, bool Complete)
{
    [JsonIgnore]
    public int Length => Queues.Sum(queue => queue.Length);

    [JsonIgnore]
    public int Named => Items.Sum(item => item.Count);
}

/// <param name="Name">global, high priority, low priority, assignable or local.</param>
/// <param name="Taken">Index of the next item to take. It differs between two looks if an item was taken
/// meanwhile.</param>
public sealed record QueueLine(string Name, int Length, long Taken);

/// <param name="Method">The name as its author wrote it.</param>
/// <param name="Kind">delegate, task, async, timer or item.</param>
public sealed record QueuedItems(string Method, string Kind, int Count);

/// <param name="OsId">The thread's id in the target's own pid namespace.</param>
/// <param name="Pool">True if the runtime marks the thread as one of the pool.</param>
/// <param name="State">The kernel's letter, such as R or S; null in a dump, or if the thread is gone.</param>
/// <param name="Native">True if the thread is in a call out of managed code.</param>
/// <param name="Frames">The stack, innermost first. A frame is the module's name, an exclamation mark, and the
/// method.</param>
/// <param name="Places">The source line of each frame, such as Orders.cs:41, or null; null: no line is known.</param>
public sealed record ThreadLine(uint OsId, int ManagedId, bool Pool, string? State, bool Native, IReadOnlyList<string> Frames, IReadOnlyList<string?>? Places = null);

/// <summary>A lock that a thread holds or waits for.</summary>
/// <param name="Type">The type of the locked object.</param>
/// <param name="Owner">The OS id of the thread that holds the lock; null: not known.</param>
/// <param name="Waiting">The number of threads that wait; null: this kind of lock does not count them.</param>
public sealed record LockLine(string Type, uint? Owner, int? Waiting);

/// <summary>Timers with the same callback that should have fired by now.</summary>
/// <param name="LateMs">The longest delay of these timers, ms.</param>
public sealed record TimerLine(string Method, int Count, long LateMs);
