using Poolscope.Decode.Events;
using Poolscope.Decode.Events.Web;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Pool;
using Poolscope.Decode.Requests;
using Poolscope.Decode.Tasks;
using Poolscope.Decode.Timers;
using Poolscope.Decode.Waits;
using Poolscope.Decode.WorkItems;
using Poolscope.Tables;

namespace Poolscope.Decode.Runtime;

/// <summary>The tables that come from the runtime's events. Dispatches each event to the tables that use it.</summary>
internal sealed partial class RuntimeTables : IRuntimeEvents
{
    private readonly bool _managedOwners;
    private readonly ManagedThreads _managed = new();
    private readonly TaskTable _tasks = new();
    private readonly TaskWaitTable _taskWaits = new();
    private readonly WaitTable _waits = new();
    private readonly SuspensionTable _suspensions = new();
    private readonly RequestTable _requests = new();
    private readonly CallTable _calls = new();
    private readonly ActivityTable _activities = new();
    private readonly EventThreads _threads = new();
    private readonly SortedSet<string> _referencePools = new(StringComparer.Ordinal);

    // The tables of the pool, started again when the stream turns out to be that of a reference pool.
    private WorkItemJoin _join = new();
    private PoolChangeTable _poolChanges = new();
    private HillClimbingTable _hillClimbing = new();
    private PoolLimitTable _poolLimits = new();
    private WorkerTables _workers = new();
    private TimerTable _timers;
    private bool _isReference;
    private long _otherItems;

    /// <param name="version">Major version of the runtime; null if unknown.</param>
    public RuntimeTables(int? version = null)
    {
        _timers = new TimerTable(_join.Items, keepsSchedule: false);
        _managedOwners = version >= TargetInfo.FirstWithManagedOwners;
    }

    public WorkItemTable Items => _join.Items;

    public long TiesDropped => _join.TiesDropped;

    public long EndsCorrected { get; private set; }

    public EventThreads Threads => _threads;

    public WaitTable Waits => _waits;

    /// <summary>The reference pool; null for the runtime's own pool.</summary>
    public PoolInfo? Pool => _isReference
        ? new PoolInfo(EventDecoder.ReferencePoolName, string.Join(", ", _referencePools), _otherItems)
        : null;

    /// <summary>Completes the rows that are open at the end of the capture.</summary>
    /// <param name="start">Start of the stream, ns.</param>
    /// <param name="exit">Returns the exit of the thread that had an id at a time; -1 if it lived on or is
    /// unknown.</param>
    /// <param name="running">When threads ran; null without a scheduler stream. Then park events are not
    /// corrected.</param>
    /// <param name="transferred">Returns when a thread last read from or sent to a socket before a time; -1 if
    /// unknown.</param>
    public void Finish(
        TargetInfo target,
        long start,
        Func<int, long, long> exit,
        RunningIntervals? running,
        Func<int, long, long>? transferred = null)
    {
        _join.Finish(exit);
        _calls.Finish();
        _workers.ApplyExits(exit);
        _poolLimits.Finish(target, start);
        // A reference pool does not spin before it parks.
        if (running is not null && !_isReference)
        {
            EndsCorrected = ParkCorrection.Apply(_join.Items, running, _suspensions.IsSuspended, transferred ?? ((_, _) => -1));
        }
    }

    /// <summary>Names the owners of contended locks. Call after the last event of every stream, because rundowns list
    /// threads.</summary>
    /// <param name="start">Start of the stream, ns.</param>
    /// <param name="lived">Returns whether a thread lived at a time; if null, the runtime's events decide.</param>
    public void NameOwners(long start, Func<int, long, bool>? lived = null)
    {
        if (_managedOwners)
        {
            _waits.NameOwners((id, time) => _managed.Of(id, time, start, tid => lived?.Invoke(tid, start) ?? _threads.LivedBefore(tid)));
        }
    }

    public IEnumerable<Table> Tables() =>
    [
        _join.Items.ToTable(), _tasks.ToTable(), _taskWaits.Table, _poolChanges.Table, _hillClimbing.Table, _poolLimits.Table,
        _workers.Workers, _workers.Parked, _waits.Table, _suspensions.Table, _timers.Table,
        .. OfWeb(_requests.Table, _requests.Earlier), .. OfWeb(_calls.Table, _calls.Earlier),
        .. new[] { _activities.Table }.Where(table => table.Count > 0),
    ];

    /// <summary>Returns no table for a process that neither served nor made requests.</summary>
    private static IEnumerable<Table> OfWeb(Table table, Table earlier) =>
        earlier.Count > 0 ? [table, earlier] : table.Count > 0 ? [table] : [];

    public void Enqueue(long time, int tid, long workId)
    {
        _threads.Seen(tid);
        _join.Enqueue(time, tid, workId);
    }

    public void Dequeue(long time, int tid, long workId)
    {
        _threads.Seen(tid);
        _workers.Ran(time, tid);
        _activities.TakesItem(time, tid);
        _calls.NewItem(tid);
        _join.Dequeue(time, tid, workId);
    }

    public void TimerStarted(long time, int tid, long timerId, uint dueMs, uint periodMs)
    {
        _join.Acted(time, tid);
        _timers.Started(time, tid, timerId, dueMs, periodMs);
    }

    public void TimerFired(long time, int tid, long timerId) =>
        _timers.Fired(time, tid, timerId, _join.RunningOn(tid));

    public void RequestStart(long time, int tid, string request, in ServedRequest served) => _requests.RequestStart(time, tid, request, served);

    public void RequestStop(long time, int tid, string request, in ServedRequest served)
    {
        _join.Acted(time, tid);
        _requests.RequestStop(time, tid, request, served);
    }

    public void HandlerStart(long time, int tid, Guid activity, string method, string path) =>
        _requests.HandlerStart(time, tid, activity, method, path);

    public void HandlerStop(long time, int tid, Guid activity)
    {
        _join.Acted(time, tid);
        _requests.HandlerStop(time, tid, activity);
    }

    public void CallStart(long time, int tid, Guid activity, Guid around, in CallTarget target) =>
        _calls.Start(time, tid, activity, around, target);

    public void CallLeftQueue(long time, int tid, Guid activity, double waitedMs, string protocol) =>
        _calls.LeftQueue(time, tid, activity, waitedMs, protocol);

    public void CallSent(long time, CallStep step, long connection) => _calls.Sent(time, step, connection);

    public void CallConnectionMade(long time, long connection, string protocol) => _calls.ConnectionMade(time, connection, protocol);

    public void CallHead(long time, int tid, CallStep step, int status) => _calls.Head(time, tid, step, status);

    public void CallContent(long time, int tid, CallStep step) => _calls.Content(time, tid, step);

    public void CallRedirected(int tid) => _calls.Redirected(tid);

    public void CallFailed(long time, int tid, Guid activity) => _calls.Failed(time, tid, activity);

    public void CallStop(long time, int tid, Guid activity, int status)
    {
        _join.Acted(time, tid);
        _calls.Stop(time, tid, activity, status);
    }

    public void ActivityStart(long time, int tid, Guid flow, in ActivityNames names)
    {
        _join.Acted(time, tid);
        _activities.Start(time, tid, flow, names);
    }

    public void ActivityStop(long time, int tid, in ActivityNames names)
    {
        _join.Acted(time, tid);
        _activities.Stop(time, tid, names);
    }

    public void ThreadAt(long time, int tid, Guid flow) => _activities.At(time, tid, flow);

    public void TaskScheduled(long time, int tid, int taskId, int creatingTaskId, int options)
    {
        _tasks.Scheduled(time, tid, taskId, creatingTaskId);
        _join.TaskScheduled(tid, taskId, options);
    }

    public void TaskStarted(long time, int tid, int taskId)
    {
        _threads.Seen(tid);
        _tasks.Started(time, tid, taskId);
        _join.TaskStarted(time, tid, taskId);
    }

    public void TaskCompleted(long time, int tid, int taskId)
    {
        _tasks.Completed(time, taskId);
        _join.TaskCompleted(time, tid, taskId);
    }

    public void TaskWaitBegin(long time, int tid, int taskId, bool synchronous)
    {
        _join.Acted(time, tid);
        _taskWaits.Begin(time, tid, taskId, synchronous);
    }

    public void TaskWaitEnd(long time, int tid, int taskId) => _taskWaits.End(time, tid, taskId);

    public void WorkerStart(long time, int tid)
    {
        _threads.Seen(tid);
        _workers.Started(time, tid);
        _join.WorkerStart(time, tid);
    }

    public void WorkerStop(long time, int tid)
    {
        _workers.Stopped(time, tid);
        _join.WorkerStop(time, tid);
    }

    public void WorkerPark(long time, int tid)
    {
        _threads.Seen(tid);
        _workers.ParkBegins(time, tid);
        _join.WorkerPark(time, tid);
    }

    public void PoolChange(long time, int tid, int goal, int reason, double throughput)
    {
        _poolChanges.Add(time, tid, goal, reason, throughput);
        _join.PoolChange(time, goal);
    }

    public void PoolLimits(long time, int min, int max)
    {
        _poolLimits.AddEvent(time, min, max);
        _join.PoolLimits(time, max);
    }

    public void HillClimbingSample(long time, double throughput) => _hillClimbing.AddSample(time, throughput);

    public void HillClimbingStats(long time, in HillClimbingStats stats) => _hillClimbing.AddStats(time, stats);

    public void WaitBegin(long time, int tid, bool monitor, long obj)
    {
        _threads.Seen(tid);
        _waits.WaitBegin(time, tid, monitor, obj);
    }

    public void WaitEnd(long time, int tid)
    {
        _join.Acted(time, tid);
        _waits.WaitEnd(time, tid);
    }

    public void ContentionBegin(long time, int tid, long lockId, LockOwner owner) =>
        _waits.ContentionBegin(time, tid, lockId, _managedOwners ? owner.Id : owner.Tid);

    public void ContentionEnd(long time, int tid) => _waits.ContentionEnd(time, tid);

    public void SuspendBegin(long time, int reason) => _suspensions.Begin(time, reason);

    public void SuspendEnd(long time) => _suspensions.End(time);

    public void ThreadCreated(long time, int tid, int id)
    {
        _threads.Created(time, tid);
        _managed.Created(time, id, tid);
    }

    public void ThreadLives(long time, int tid, int id) => _managed.Lives(time, id, tid);

    public void ReferencePool(string? name)
    {
        if (name is not null)
        {
            _referencePools.Add(name);
        }

        if (_isReference)
        {
            return;
        }

        _isReference = true;
        _otherItems = Items.Count;
        (_join, _workers) = (new WorkItemJoin(), new WorkerTables());
        _timers = new TimerTable(_join.Items, keepsSchedule: true);
        (_poolChanges, _hillClimbing, _poolLimits) = (new PoolChangeTable(), new HillClimbingTable(), new PoolLimitTable());
    }

    public void OtherPoolItem(int tid)
    {
        _otherItems++;
        _join.OtherPoolItem(tid);
    }
}
