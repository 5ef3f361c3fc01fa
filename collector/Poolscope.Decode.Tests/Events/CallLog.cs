using System.Runtime.CompilerServices;
using Poolscope.Decode.Events;
using Poolscope.Decode.Events.Web;

namespace Poolscope.Decode.Tests.Events;

/// <summary>Logs each call as `Method argument argument ...`, one per line.</summary>
internal sealed class CallLog : IRuntimeEvents
{
    private readonly List<string> _calls = [];

    public override string ToString() => string.Join('\n', _calls);

    public void Enqueue(long time, int tid, long workId) => Log(time, tid, workId);

    public void Dequeue(long time, int tid, long workId) => Log(time, tid, workId);

    public void TimerStarted(long time, int tid, long timerId, uint dueMs, uint periodMs) =>
        Log(time, tid, timerId, dueMs, periodMs);

    public void TimerFired(long time, int tid, long timerId) => Log(time, tid, timerId);

    public void RequestStart(long time, int tid, string request, in ServedRequest served) =>
        Log(time, tid, request, served.Connection, $"{served.Protocol} {served.Method} {served.Path}");

    public void RequestStop(long time, int tid, string request, in ServedRequest served) =>
        Log(time, tid, request, served.Connection, $"{served.Protocol} {served.Method} {served.Path}");

    public void HandlerStart(long time, int tid, Guid activity, string method, string path) => Log(time, tid, activity, method, path);

    public void HandlerStop(long time, int tid, Guid activity) => Log(time, tid, activity);

    public void CallStart(long time, int tid, Guid activity, Guid around, in CallTarget target) => Log(time, tid, activity, around, target);

    public void CallLeftQueue(long time, int tid, Guid activity, double waitedMs, string protocol) => Log(time, tid, activity, waitedMs, protocol);

    public void CallSent(long time, CallStep step, long connection) => Log(time, step.Own, step.Around, connection);

    public void CallConnectionMade(long time, long connection, string protocol) => Log(time, connection, protocol);

    public void CallHead(long time, int tid, CallStep step, int status) => Log(time, tid, step.Own, step.Around, status);

    public void CallContent(long time, int tid, CallStep step) => Log(time, tid, step.Own, step.Around);

    public void CallRedirected(int tid) => Log(tid);

    public void CallFailed(long time, int tid, Guid activity) => Log(time, tid, activity);

    public void CallStop(long time, int tid, Guid activity, int status) => Log(time, tid, activity, status);

    public void ActivityStart(long time, int tid, Guid flow, in ActivityNames names) => Log(time, tid, flow, names);

    public void ActivityStop(long time, int tid, in ActivityNames names) => Log(time, tid, names);

    public void ThreadAt(long time, int tid, Guid flow) => Log(time, tid, flow);

    public void TaskScheduled(long time, int tid, int taskId, int creatingTaskId, int options) =>
        Log(time, tid, taskId, creatingTaskId, options);

    public void TaskStarted(long time, int tid, int taskId) => Log(time, tid, taskId);

    public void TaskCompleted(long time, int tid, int taskId) => Log(time, tid, taskId);

    public void TaskWaitBegin(long time, int tid, int taskId, bool synchronous) => Log(time, tid, taskId, synchronous);

    public void TaskWaitEnd(long time, int tid, int taskId) => Log(time, tid, taskId);

    public void WorkerStart(long time, int tid) => Log(time, tid);

    public void WorkerStop(long time, int tid) => Log(time, tid);

    public void WorkerPark(long time, int tid) => Log(time, tid);

    public void PoolChange(long time, int tid, int goal, int reason, double throughput) =>
        Log(time, tid, goal, reason, throughput);

    public void PoolLimits(long time, int min, int max) => Log(time, min, max);

    public void HillClimbingSample(long time, double throughput) => Log(time, throughput);

    public void HillClimbingStats(long time, in HillClimbingStats stats) => Log(time, stats);

    public void WaitBegin(long time, int tid, bool monitor, long obj) => Log(time, tid, monitor, obj);

    public void WaitEnd(long time, int tid) => Log(time, tid);

    public void ContentionBegin(long time, int tid, long lockId, LockOwner owner) => Log(time, tid, lockId, owner.Tid, owner.Id);

    public void ContentionEnd(long time, int tid) => Log(time, tid);

    public void SuspendBegin(long time, int reason) => Log(time, reason);

    public void SuspendEnd(long time) => Log(time);

    public void ThreadCreated(long time, int tid, int id) => Log(time, tid, id);

    public void ThreadLives(long time, int tid, int id) => Log(time, tid, id);

    public void Counter(long time, string name, double value, double seconds) => Log(time, name, value, seconds);

    public void ReferencePool(string? name) => Log(name ?? "unnamed");

    public void OtherPoolItem(int tid) => Log(tid);

    private void Log(object a, object? b = null, object? c = null, object? d = null, object? e = null, [CallerMemberName] string name = "") =>
        _calls.Add(string.Join(' ', new[] { name, a, b, c, d, e }.Where(p => p is not null)));
}
