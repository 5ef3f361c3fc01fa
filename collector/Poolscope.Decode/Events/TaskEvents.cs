using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Receives the scheduling, runs and waits of tasks.</summary>
internal interface ITaskEvents
{
    /// <summary>A task was given to a scheduler (TplEventSource 7).</summary>
    /// <param name="creatingTaskId">The task that created this one; 0 if none did.</param>
    /// <param name="options">TaskCreationOptions.</param>
    void TaskScheduled(long time, int tid, int taskId, int creatingTaskId, int options);

    /// <summary>A task begins to run (8).</summary>
    void TaskStarted(long time, int tid, int taskId);

    /// <summary>A task and its inlined continuations have run (9).</summary>
    void TaskCompleted(long time, int tid, int taskId);

    /// <summary>A thread begins to wait for a task, or a method to await it (10).</summary>
    /// <param name="synchronous">True if the thread blocks.</param>
    void TaskWaitBegin(long time, int tid, int taskId, bool synchronous);

    /// <summary>A synchronous wait for a task is over (11). The event is Verbose, so most sessions lack it.</summary>
    void TaskWaitEnd(long time, int tid, int taskId);
}

/// <summary>Decodes TplEventSource. Payloads begin with OriginatingTaskSchedulerID, OriginatingTaskID, TaskID
/// (int32).</summary>
internal static class TaskEvents
{
    private const int Synchronous = 1;

    public static bool Decode(in RawEvent e, ITaskEvents sink)
    {
        switch (e.Id)
        {
            case 7 when e.Has(20):
                sink.TaskScheduled(e.Time, e.Tid, e.Int32(8), creatingTaskId: e.Int32(12), options: e.Int32(16));
                return true;
            case 8 when e.Has(12):
                sink.TaskStarted(e.Time, e.Tid, e.Int32(8));
                return true;
            case 9 when e.Has(12):
                sink.TaskCompleted(e.Time, e.Tid, e.Int32(8));
                return true;
            case 10 when e.Has(16):
                sink.TaskWaitBegin(e.Time, e.Tid, e.Int32(8), e.Int32(12) == Synchronous);
                return true;
            case 11 when e.Has(12):
                sink.TaskWaitEnd(e.Time, e.Tid, e.Int32(8));
                return true;
            default:
                return false;
        }
    }
}
