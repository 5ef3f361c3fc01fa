namespace Poolscope.Decode.Events;

/// <summary>What the runtime tells beside a reference pool: everything but its own pool, of which the items are only counted.
/// The tables hold one pool.</summary>
internal sealed class RuntimePoolLeftOut(IRuntimeEvents sink) : IRuntimeEvents
{
    public void Enqueue(long time, int tid, long workId) => sink.OtherPoolItem(tid);

    public void Dequeue(long time, int tid, long workId)
    {
    }

    public void TimerStarted(long time, int tid, long timerId, uint dueMs, uint periodMs)
    {
    }

    public void TimerFired(long time, int tid, long timerId)
    {
    }

    public void WorkerStart(long time, int tid)
    {
    }

    public void WorkerStop(long time, int tid)
    {
    }

    public void WorkerPark(long time, int tid)
    {
    }

    public void PoolChange(long time, int tid, int goal, int reason, double throughput)
    {
    }

    public void PoolLimits(long time, int min, int max)
    {
    }

    public void HillClimbingSample(long time, double throughput)
    {
    }

    public void HillClimbingStats(long time, in HillClimbingStats stats)
    {
    }

    public void Counter(long time, string name, double value, double seconds)
    {
    }

    public void ReferencePool(string? name) => sink.ReferencePool(name);

    public void OtherPoolItem(int tid) => sink.OtherPoolItem(tid);

    public void RequestStart(long time, int tid, string request, in ServedRequest served) => sink.RequestStart(time, tid, request, served);

    public void RequestStop(long time, int tid, string request, in ServedRequest served) => sink.RequestStop(time, tid, request, served);

    public void HandlerStart(long time, int tid, Guid activity, string method, string path) =>
        sink.HandlerStart(time, tid, activity, method, path);

    public void HandlerStop(long time, int tid, Guid activity) => sink.HandlerStop(time, tid, activity);

    public void CallStart(long time, int tid, Guid activity, Guid around, in CallTarget target) =>
        sink.CallStart(time, tid, activity, around, target);

    public void CallLeftQueue(long time, int tid, Guid activity, double waitedMs, string protocol) =>
        sink.CallLeftQueue(time, tid, activity, waitedMs, protocol);

    public void CallSent(long time, CallStep step, long connection) => sink.CallSent(time, step, connection);

    public void CallConnectionMade(long time, long connection, string protocol) => sink.CallConnectionMade(time, connection, protocol);

    public void CallHead(long time, int tid, CallStep step, int status) => sink.CallHead(time, tid, step, status);

    public void CallContent(long time, int tid, CallStep step) => sink.CallContent(time, tid, step);

    public void CallRedirected(int tid) => sink.CallRedirected(tid);

    public void CallFailed(long time, int tid, Guid activity) => sink.CallFailed(time, tid, activity);

    public void CallStop(long time, int tid, Guid activity, int status) => sink.CallStop(time, tid, activity, status);

    public void ActivityStart(long time, int tid, Guid flow, in ActivityNames names) => sink.ActivityStart(time, tid, flow, names);

    public void ActivityStop(long time, int tid, in ActivityNames names) => sink.ActivityStop(time, tid, names);

    public void ThreadAt(long time, int tid, Guid flow) => sink.ThreadAt(time, tid, flow);

    public void TaskScheduled(long time, int tid, int taskId, int creatingTaskId, int options) =>
        sink.TaskScheduled(time, tid, taskId, creatingTaskId, options);

    public void TaskStarted(long time, int tid, int taskId) => sink.TaskStarted(time, tid, taskId);

    public void TaskCompleted(long time, int tid, int taskId) => sink.TaskCompleted(time, tid, taskId);

    public void TaskWaitBegin(long time, int tid, int taskId, bool synchronous) =>
        sink.TaskWaitBegin(time, tid, taskId, synchronous);

    public void TaskWaitEnd(long time, int tid, int taskId) => sink.TaskWaitEnd(time, tid, taskId);

    public void WaitBegin(long time, int tid, bool monitor, long obj) => sink.WaitBegin(time, tid, monitor, obj);

    public void WaitEnd(long time, int tid) => sink.WaitEnd(time, tid);

    public void ContentionBegin(long time, int tid, long lockId, LockOwner owner) =>
        sink.ContentionBegin(time, tid, lockId, owner);

    public void ContentionEnd(long time, int tid) => sink.ContentionEnd(time, tid);

    public void SuspendBegin(long time, int reason) => sink.SuspendBegin(time, reason);

    public void SuspendEnd(long time) => sink.SuspendEnd(time);

    public void ThreadCreated(long time, int tid, int id) => sink.ThreadCreated(time, tid, id);

    public void ThreadLives(long time, int tid, int id) => sink.ThreadLives(time, tid, id);
}
