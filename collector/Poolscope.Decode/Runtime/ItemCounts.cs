namespace Poolscope.Decode.Runtime;

/// <summary>Work items, by how completely they were recorded. One item may count under several.</summary>
/// <param name="Total">All rows of `work_items`.</param>
/// <param name="Joined">Both the enqueue and the dequeue were seen.</param>
/// <param name="Inlined">Run by the thread that waited for it, without a dequeue.</param>
/// <param name="CensoredStart">Dequeued, but the enqueue was not seen.</param>
/// <param name="QueuedAtEnd">Never dequeued.</param>
/// <param name="RunningAtEnd">Dequeued, but never ended.</param>
/// <param name="Collided">Shared its work id with another open item.</param>
/// <param name="Transferred">Queued again by a worker that had to stop.</param>
/// <param name="EndsCorrected">Ended at a park event, and the scheduler's events moved the end back.</param>
/// <param name="TaskTiesDropped">Looked like a task when queued, but its dequeue did not start that task.</param>
public sealed record ItemCounts(
    long Total,
    long Joined,
    long Inlined,
    long CensoredStart,
    long QueuedAtEnd,
    long RunningAtEnd,
    long Collided,
    long Transferred,
    long EndsCorrected,
    long TaskTiesDropped);
