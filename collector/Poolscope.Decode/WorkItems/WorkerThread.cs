using System.Runtime.InteropServices;

namespace Poolscope.Decode.WorkItems;

/// <summary>What the join remembers of one thread.</summary>
internal sealed class WorkerThread(int tid)
{
    private readonly List<int> _running = [];

    public int Tid { get; } = tid;

    /// <summary>The thread has dequeued, parked or started as a pool worker.</summary>
    public bool IsWorker { get; set; }

    /// <summary>Task scheduled by this thread's previous event: an enqueue that follows at once is the task's; -1: none.</summary>
    public int ScheduledTask { get; set; } = -1;

    /// <summary>Row dequeued by this thread's previous event: a task start that follows at once is the item's; -1: none.</summary>
    public int JustDequeued { get; set; } = -1;

    /// <summary>Row that ended here with its task, and nothing has run since; -1: none. If anything of an item shows after
    /// that, the item had not ended: it was a custom scheduler's loop, not the task itself.</summary>
    public int EndedWithTask { get; set; } = -1;

    /// <summary>Time of the latest dequeue, park or start, and of the one before it.</summary>
    public long LastReturn { get; private set; } = -1;

    public long ReturnBefore { get; private set; } = -1;

    /// <summary>Rows of the items that the thread runs; an item run inline lies above the one that waits for it.</summary>
    public ReadOnlySpan<int> Running => CollectionsMarshal.AsSpan(_running);

    /// <summary>Row of the innermost running item; -1: none.</summary>
    public int Innermost => _running.Count == 0 ? -1 : _running[^1];

    /// <summary>The pool itself ran on this thread.</summary>
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
