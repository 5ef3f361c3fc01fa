using System.Runtime.InteropServices;

namespace Poolscope.Decode.WorkItems;

/// <summary>The state that the join keeps for one thread.</summary>
internal sealed class WorkerThread(int tid)
{
    private readonly List<int> _running = [];

    public int Tid { get; } = tid;

    /// <summary>Whether the thread has dequeued, parked or started as a pool worker.</summary>
    public bool IsWorker { get; set; }

    /// <summary>Task scheduled by this thread's previous event, to which an immediately following enqueue belongs; -1
    /// if none.</summary>
    public int ScheduledTask { get; set; } = -1;

    /// <summary>Row dequeued by this thread's previous event, to which an immediately following task start belongs; -1
    /// if none.</summary>
    public int JustDequeued { get; set; } = -1;

    /// <summary>Row that ended with its task on this thread, if no item has run since; -1 if none. If the thread then
    /// does something that only an item does, the item had not ended: it was a custom scheduler's loop, not the task
    /// itself.</summary>
    public int EndedWithTask { get; set; } = -1;

    /// <summary>Time of the latest dequeue, park or start; <see cref="ReturnBefore"/> is the time of the one
    /// before.</summary>
    public long LastReturn { get; private set; } = -1;

    public long ReturnBefore { get; private set; } = -1;

    /// <summary>Rows of the items that the thread runs, innermost last; an item run inline follows the one that waits
    /// for it.</summary>
    public ReadOnlySpan<int> Running => CollectionsMarshal.AsSpan(_running);

    /// <summary>Row of the innermost running item; -1 if none.</summary>
    public int Innermost => _running.Count == 0 ? -1 : _running[^1];

    /// <summary>Records that the thread ran the pool's own code.</summary>
    public void ReturnedToPool(long time)
    {
        IsWorker = true;
        ReturnBefore = LastReturn;
        LastReturn = time;
    }

    public void Begin(int row) => _running.Add(row);

    public void Pop() => _running.RemoveAt(_running.Count - 1);

    public void Clear() => _running.Clear();

    public void Replace(int row, int by)
    {
        var at = _running.IndexOf(row);
        if (at >= 0)
        {
            _running[at] = by;
        }
    }
}
