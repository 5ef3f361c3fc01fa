namespace Poolscope.Look;

/// <summary>The pool's limits and threads. Null: this runtime does not say.</summary>
public sealed record PoolReading(int? Minimum, int? Maximum, int? Goal, int? Active, int? Idle, bool About);

/// <summary>One queue. <paramref name="Length"/> counts items; <paramref name="About"/>: two readings differed.</summary>
public sealed record QueueReading(string Queue, int Length, bool About);

/// <summary>Queued items that call the same method.</summary>
public sealed record QueuedMethod(string Method, string Kind, int Count);

/// <summary>A thread, innermost frame first. <paramref name="Waits"/>: the call of the library that it is inside, if it waits.</summary>
public sealed record ThreadReading(uint OsId, int ManagedId, string? Name, bool InItem, string? Waits, string? Own, IReadOnlyList<string> Stack);

/// <summary>A held lock with its owner, where the runtime tells it.</summary>
public sealed record LockReading(string Type, uint? OwnerOsId, int? Waiting);

/// <summary>A timer that should have fired. <paramref name="LateMs"/> is null where a dump holds no present.</summary>
public sealed record TimerReading(string Method, long? LateMs);

/// <summary>What one look found.</summary>
public sealed record LookReading(
    string Runtime,
    PoolReading Pool,
    IReadOnlyList<QueueReading> Queues,
    IReadOnlyList<QueuedMethod> Queued,
    int Unnamed,
    IReadOnlyList<ThreadReading> Threads,
    IReadOnlyList<LockReading> Locks,
    bool Complete,
    double TookMs)
{
    public int QueueLength => Queues.Sum(queue => queue.Length);
}
