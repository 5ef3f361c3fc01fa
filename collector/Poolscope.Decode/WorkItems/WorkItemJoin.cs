namespace Poolscope.Decode.WorkItems;

/// <summary>Builds work items from enqueues, dequeues and task events. Each method handles one event; events come in
/// order of time. The class <see cref="RunningItems"/> tracks how items run and end. Each trap in the event stream that
/// this class handles has its own test.</summary>
internal sealed class WorkItemJoin
{
    /// <summary>TaskCreationOptions.LongRunning. Such a task gets its own thread and never enters a queue.</summary>
    private const int LongRunning = 2;

    private readonly OpenItems _open = new();
    private readonly GoalHistory _goal = new();
    private readonly RunningItems _running;

    // Row of each task that is enqueued and has not started.
    private readonly Dictionary<int, int> _rowOfTask = [];

    public WorkItemJoin() => _running = new RunningItems(Items);

    public WorkItemTable Items { get; } = new();

    /// <summary>The number of ties between an item and a task that the dequeue did not confirm: cancelled tasks, and
    /// tasks whose scheduler queues another object than the task.</summary>
    public long TiesDropped { get; private set; }

    public void TaskScheduled(int tid, int taskId, int options)
    {
        var thread = Settle(tid);
        thread.ScheduledTask = (options & LongRunning) == 0 ? taskId : -1;
    }

    public void Enqueue(long time, int tid, long workId)
    {
        var thread = Settle(tid);
        var task = thread.ScheduledTask;
        thread.ScheduledTask = -1;
        if (task < 0 && FindTransferred(thread, workId) is >= 0 and var transferred)
        {
            Items.AddFlag(transferred, ItemFlags.Transferred);
            return;
        }

        _running.ReopenIfEndedWithTask(thread);
        var row = Items.Add(workId, time, tid, thread.Innermost);
        Acted(time, tid);
        if (_open.Add(workId, row) is >= 0 and var other)
        {
            Items.AddFlag(row, ItemFlags.Collided);
            Items.AddFlag(other, ItemFlags.Collided);
        }

        if (task >= 0)
        {
            Items.SetTask(row, task);
            _rowOfTask[task] = row;
        }
    }

    public void Dequeue(long time, int tid, long workId)
    {
        var thread = Settle(tid);
        _running.EndAll(thread, time, EndKnown.NextDequeue);
        thread.ReturnedToPool(time);
        if (!_open.TryTake(workId, out var row))
        {
            row = Items.Add(workId);
            Items.AddFlag(row, ItemFlags.CensoredStart);
        }

        Items.SetDequeue(row, time, tid, DequeueKnown.Event);
        thread.Begin(row);
        thread.JustDequeued = row;
    }

    /// <returns>Row of the innermost item that runs on the thread; -1 if none.</returns>
    public int RunningOn(int tid) => _running.Thread(tid).Innermost;

    public void TaskStarted(long time, int tid, int taskId)
    {
        var thread = _running.Thread(tid);
        var row = thread.JustDequeued;
        thread.JustDequeued = -1;
        thread.ScheduledTask = -1;
        var expected = _rowOfTask.Remove(taskId, out var queued) ? queued : -1;
        if (row < 0)
        {
            _running.ReopenIfEndedWithTask(thread);
            if (expected >= 0)
            {
                StartedWithoutDequeue(thread, time, expected);
            }
        }
        else if (expected == row)
        {
            Items.SetTask(row, taskId);
        }
        else if (expected >= 0 && Items.WorkId[expected] == Items.WorkId[row])
        {
            Exchange(thread, row, expected);
            Items.SetTask(expected, taskId);
        }
        else if (Items.Has(row, ItemFlags.CensoredStart))
        {
            Items.SetTask(row, taskId);
        }
        else
        {
            // The item is not the task but runs it: a custom scheduler, or a delegate that begins with a task.
            Untie(row);
            if (expected >= 0)
            {
                StartedWithoutDequeue(thread, time, expected);
            }
        }
    }

    public void TaskCompleted(long time, int tid, int taskId) => _running.EndTask(Settle(tid), time, taskId);

    public void WorkerStart(long time, int tid) => Return(time, tid, EndKnown.ThreadExit);

    /// <summary>Records that a thread did something that a worker does only for an item.</summary>
    public void Acted(long time, int tid)
    {
        if (RunningOn(tid) is >= 0 and var row)
        {
            Items.Acted(row, time);
        }
    }

    public void WorkerPark(long time, int tid) => Return(time, tid, EndKnown.Park);

    public void WorkerStop(long time, int tid) => Return(time, tid, EndKnown.ThreadStop);

    /// <summary>Records that the thread queued an item of another pool, which gets no row. A task scheduled just before
    /// belongs to that item or to none.</summary>
    public void OtherPoolItem(int tid) => Settle(tid).ScheduledTask = -1;

    public void PoolChange(long time, int goal) => _goal.Goal(time, goal);

    public void PoolLimits(long time, int max) => _goal.Maximum(time, max);

    /// <summary>Flags the items that are open at the end of the capture.</summary>
    /// <param name="exit">Returns the exit of the thread that had an id at a time; -1 if it lived on or is
    /// unknown.</param>
    public void Finish(Func<int, long, long> exit)
    {
        _running.Finish(exit);
        foreach (var row in _open.Rows)
        {
            Items.AddFlag(row, ItemFlags.QueuedAtEnd);
        }
    }

    /// <summary>Ends all items of a thread that is back in the pool's own code.</summary>
    private void Return(long time, int tid, EndKnown known)
    {
        var thread = Settle(tid);
        _running.EndAll(thread, time, known);
        thread.ScheduledTask = -1;
        thread.ReturnedToPool(time);
    }

    /// <summary>Handles any event but a task start right after a dequeue: it shows that the dequeued item is not a
    /// task.</summary>
    private WorkerThread Settle(int tid)
    {
        var thread = _running.Thread(tid);
        if (thread.JustDequeued >= 0)
        {
            Untie(thread.JustDequeued);
            thread.JustDequeued = -1;
        }

        return thread;
    }

    private void Untie(int row)
    {
        if (Items.TaskId[row] < 0)
        {
            return;
        }

        // If two items share a work id, the dequeue may have taken the wrong one; then the task's start still has to
        // find this row.
        if (!Items.Has(row, ItemFlags.Collided))
        {
            _rowOfTask.Remove(Items.TaskId[row]);
        }

        Items.SetTask(row, -1);
        TiesDropped++;
    }

    /// <summary>Finds an item that a stopping worker moves from its local queue to the global one, with a second
    /// enqueue. Such an item is still open and came from this very thread (only it pushes to its local queue), and the
    /// thread is between two items.</summary>
    /// <returns>The row; -1 if this is a new item, perhaps of an object that is queued twice.</returns>
    private int FindTransferred(WorkerThread thread, long workId)
    {
        if (!thread.IsWorker || _open.Oldest(workId) is not (>= 0 and var oldest))
        {
            return -1;
        }

        // The end of an item that is not a task has no event. So the goal must have been lowered since the thread last
        // checked whether to stop; otherwise the item itself queues an object again.
        var between = thread.Running.IsEmpty || _goal.LastLowered >= Math.Max(0, thread.ReturnBefore);
        if (between)
        {
            foreach (var row in _open.Of(workId))
            {
                if (IsLocal(thread, row))
                {
                    return row;
                }
            }

            return -1;
        }

        // A task cannot be queued twice, so a task needs no such evidence.
        return Items.TaskId[oldest] >= 0 && IsLocal(thread, oldest) ? oldest : -1;
    }

    private bool IsLocal(WorkerThread thread, int row) =>
        Items.EnqueueTid[row] == thread.Tid && !Items.Has(row, ItemFlags.Transferred);

    /// <summary>Handles the start of a queued task without a dequeue. On the thread that queued it, a wait took it from
    /// the local queue and runs it inline. On another thread the tie was wrong: another item was enqueued after the
    /// scheduling of the task.</summary>
    private void StartedWithoutDequeue(WorkerThread thread, long time, int row)
    {
        var workId = Items.WorkId[row];
        if (Items.EnqueueTid[row] == thread.Tid && _open.Remove(workId, row))
        {
            Items.SetDequeue(row, time, thread.Tid, DequeueKnown.TaskStarted);
            Items.AddFlag(row, ItemFlags.Inlined);
            thread.Begin(row);
        }
        else
        {
            Items.SetTask(row, -1);
            TiesDropped++;
        }
    }

    /// <summary>Exchanges two items with the same work id: the dequeue took the older one, but the task's start shows
    /// that the other one ran.</summary>
    private void Exchange(WorkerThread thread, int taken, int meant)
    {
        var workId = Items.WorkId[meant];
        if (_open.Contains(workId, meant))
        {
            _open.Replace(workId, meant, taken);
        }
        else
        {
            _running.Thread(Items.WorkerTid[meant]).Replace(meant, taken);
        }

        thread.Replace(taken, meant);
        Items.SwapRuns(taken, meant);
    }
}
