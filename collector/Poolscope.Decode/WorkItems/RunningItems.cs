using Poolscope.Decode.Growing;

namespace Poolscope.Decode.WorkItems;

/// <summary>Tracks which items run on each thread, and when they end. Only the end of a task has an event. Any other
/// item ends when the worker next dequeues, parks, stops or exits.</summary>
internal sealed class RunningItems(WorkItemTable items)
{
    private readonly PerThread<WorkerThread> _threads = new(tid => new WorkerThread(tid));

    public WorkerThread Thread(int tid) => _threads[tid];

    public void EndAll(WorkerThread thread, long time, EndKnown known)
    {
        foreach (var row in thread.Running)
        {
            items.SetEnd(row, time, known);
        }

        thread.Clear();
        thread.EndedWithTask = -1;
    }

    /// <summary>Ends the item of a task, and all items run inline above it.</summary>
    public void EndTask(WorkerThread thread, long time, int taskId)
    {
        var at = thread.Running.Length - 1;
        while (at >= 0 && items.TaskId[thread.Running[at]] != taskId)
        {
            at--;
        }

        if (at < 0)
        {
            return; // the task is not a work item
        }

        while (thread.Running.Length > at)
        {
            items.SetEnd(thread.Innermost, time, EndKnown.TaskCompleted);
            thread.EndedWithTask = items.Has(thread.Innermost, ItemFlags.Inlined) ? -1 : thread.Innermost;
            thread.Pop();
        }

        if (thread.Running.Length > 0)
        {
            thread.EndedWithTask = -1;
        }
    }

    /// <summary>Reopens an item that ended with its task, because the thread then did something that only an item does.
    /// Such an item runs several tasks, as custom schedulers do, and is not a task itself.</summary>
    public void ReopenIfEndedWithTask(WorkerThread thread)
    {
        var row = thread.EndedWithTask;
        if (row < 0)
        {
            return;
        }

        thread.EndedWithTask = -1;
        items.SetEnd(row, -1, EndKnown.Absent);
        items.SetTask(row, -1);
        thread.Begin(row);
    }

    public void Finish(Func<int, long, long> exit)
    {
        foreach (var thread in _threads.All)
        {
            foreach (var row in thread.Running)
            {
                var exited = exit(thread.Tid, items.Dequeue[row]);
                if (exited >= 0)
                {
                    items.SetEnd(row, exited, EndKnown.ThreadExit);
                }
                else
                {
                    items.AddFlag(row, ItemFlags.RunningAtEnd);
                }
            }
        }
    }
}
