namespace Poolscope.Decode.Events;

/// <summary>What a runtime tells of its pool, in order of time, freed of providers, ids and byte offsets. Times are
/// CLOCK_MONOTONIC ns, thread ids the OS's.</summary>
internal interface IRuntimeEvents
{
    /// <summary>A work item is about to enter a queue (FrameworkEventSource 30). Also fired a second time, by a worker
    /// that must stop, for each item that it moves from its local queue to the global one.</summary>
    /// <param name="workId">The item's hash code: not unique.</param>
    void Enqueue(long time, int tid, long workId);

    /// <summary>A worker is about to run a work item (31).</summary>
    void Dequeue(long time, int tid, long workId);

    /// <summary>A timer was created with a due time, or changed to one (FrameworkEventSource 150). That it was stopped has no
    /// event.</summary>
    /// <param name="timerId">The timer's hash code: not unique.</param>
    /// <param name="dueMs">ms from now.</param>
    /// <param name="periodMs">ms from one callback to the next; 0: one only.</param>
    void TimerStarted(long time, int tid, long timerId, uint dueMs, uint periodMs);

    /// <summary>A timer's callback is about to run (151).</summary>
    void TimerFired(long time, int tid, long timerId);

    /// <summary>The web server has read a request's head (Kestrel 3).</summary>
    /// <param name="request">Its id, unique; of HTTP/2 and later each stream of a connection is a request.</param>
    void RequestStart(long time, int tid, string request, in ServedRequest served);

    /// <summary>The web server is done with a request (Kestrel 4): at the latest when its connection asks for the next one,
    /// or ends. Also told of one that began before the recording.</summary>
    void RequestStop(long time, int tid, string request, in ServedRequest served);

    /// <summary>A request enters the application (Hosting 3). The web server tells of it right after or before that, on the same thread.</summary>
    /// <param name="activity">The same when it leaves; empty: not known.</param>
    void HandlerStart(long time, int tid, Guid activity, string method, string path);

    /// <summary>A request leaves the application (Hosting 4).</summary>
    void HandlerStop(long time, int tid, Guid activity);

    /// <summary>A call through HttpClient begins (System.Net.Http 1).</summary>
    /// <param name="activity">The same of all that follows of this call, up to a call that begins inside it.</param>
    /// <param name="around">The activity that it begins in, as that of a web request; empty: none.</param>
    void CallStart(long time, int tid, Guid activity, Guid around, in CallTarget target);

    /// <summary>A call has a connection, or a stream of one, that it had to wait for (6).</summary>
    /// <param name="waitedMs">From when it asked; also what a new connection took to be made, and until a thread took this up.</param>
    /// <param name="protocol">Such as HTTP/1.1: of the connections that it waited for.</param>
    void CallLeftQueue(long time, int tid, Guid activity, double waitedMs, string protocol);

    /// <summary>A call's head is about to be sent (7); after a redirection again.</summary>
    /// <param name="connection">Number of the connection, unique in the process.</param>
    void CallSent(long time, CallStep step, long connection);

    /// <summary>A connection was made, with TLS if there is any (4).</summary>
    void CallConnectionMade(long time, long connection, string protocol);

    /// <summary>The head of an answer has been read (12).</summary>
    /// <param name="status">-1: the runtime does not show.</param>
    void CallHead(long time, int tid, CallStep step, int status);

    /// <summary>The content of an answer has been read (14).</summary>
    void CallContent(long time, int tid, CallStep step);

    /// <summary>The answer whose head this thread has just read sends the call on to another address (16).</summary>
    void CallRedirected(int tid);

    /// <summary>A call ends with an exception (3); its end follows.</summary>
    void CallFailed(long time, int tid, Guid activity);

    /// <summary>A call is over (2): its answer is there, with the content where the caller did not ask for the head alone. Told
    /// only of a call whose beginning was reported.</summary>
    /// <param name="activity">The call's; the one around it where another call began inside it.</param>
    /// <param name="status">-1: no answer came, or the runtime does not show.</param>
    void CallStop(long time, int tid, Guid activity, int status);

    /// <summary>An activity of an ActivitySource begins.</summary>
    /// <param name="flow">The activity of this event, in EventSource's sense; empty: not reported.</param>
    void ActivityStart(long time, int tid, Guid flow, in ActivityNames names);

    /// <summary>An activity ends.</summary>
    void ActivityStop(long time, int tid, in ActivityNames names);

    /// <summary>A thread tells of anything, once an activity was told of: what it is at, in EventSource's sense. Comes before
    /// the event's own call.</summary>
    /// <param name="flow">Empty: at nothing that is known.</param>
    void ThreadAt(long time, int tid, Guid flow);

    /// <summary>A task was given to a scheduler (TplEventSource 7).</summary>
    /// <param name="creatingTaskId">0: created outside of any task.</param>
    /// <param name="options">TaskCreationOptions.</param>
    void TaskScheduled(long time, int tid, int taskId, int creatingTaskId, int options);

    /// <summary>A task begins to run (8).</summary>
    void TaskStarted(long time, int tid, int taskId);

    /// <summary>A task and its inlined continuations have run (9).</summary>
    void TaskCompleted(long time, int tid, int taskId);

    /// <summary>A thread begins to wait for a task, or a method to await it (10).</summary>
    /// <param name="synchronous">True: the thread blocks.</param>
    void TaskWaitBegin(long time, int tid, int taskId, bool synchronous);

    /// <summary>A synchronous wait for a task is over (11); Verbose, so most sessions lack it.</summary>
    void TaskWaitEnd(long time, int tid, int taskId);

    /// <summary>First thing on a new worker (runtime 50).</summary>
    void WorkerStart(long time, int tid);

    /// <summary>A worker ends after its idle timeout (51).</summary>
    void WorkerStop(long time, int tid);

    /// <summary>A worker found nothing, spun, and is about to park (57).</summary>
    void WorkerPark(long time, int tid);

    /// <summary>The pool's thread goal changed (55).</summary>
    /// <param name="reason">Index into pool_changes.reason.</param>
    void PoolChange(long time, int tid, int goal, int reason, double throughput);

    /// <summary>Minimum and maximum worker threads were set (59).</summary>
    void PoolLimits(long time, int min, int max);

    /// <summary>Hill climbing took a sample (54).</summary>
    void HillClimbingSample(long time, double throughput);

    /// <summary>Hill climbing computed (56).</summary>
    void HillClimbingStats(long time, in HillClimbingStats stats);

    /// <summary>A thread blocks in a wait handle or monitor (301).</summary>
    /// <param name="monitor">True: Monitor.Wait or what is built on it.</param>
    void WaitBegin(long time, int tid, bool monitor, long obj);

    /// <summary>The wait is over (302).</summary>
    void WaitEnd(long time, int tid);

    /// <summary>A thread found a lock held, after spinning (81).</summary>
    /// <param name="lockId">Identity of the lock; -1: the runtime is older than .NET 8.</param>
    /// <param name="owner">Thread that holds it; none: unknown.</param>
    void ContentionBegin(long time, int tid, long lockId, LockOwner owner);

    /// <summary>The thread has the lock (91).</summary>
    void ContentionEnd(long time, int tid);

    /// <summary>The runtime begins to stop all managed threads (9).</summary>
    void SuspendBegin(long time, int reason);

    /// <summary>All managed threads run again (3).</summary>
    void SuspendEnd(long time);

    /// <summary>A managed thread begins (85), shown by itself.</summary>
    /// <param name="id">Its managed id.</param>
    void ThreadCreated(long time, int tid, int id);

    /// <summary>A managed thread lives (159), listed by a rundown.</summary>
    void ThreadLives(long time, int tid, int id);

    /// <summary>A counter of System.Runtime was read.</summary>
    /// <param name="value">Of a counter that has one; by how much it grew, of one that counts.</param>
    /// <param name="seconds">Since the reading before.</param>
    void Counter(long time, string name, double value, double seconds);

    /// <summary>From here on the pool is a reference pool; what was told of the runtime's own is another pool's.</summary>
    /// <param name="name">Null: it has told something, but not its name.</param>
    void ReferencePool(string? name);

    /// <summary>An item entered a queue of the runtime's own pool beside a reference pool.</summary>
    void OtherPoolItem(int tid);
}

/// <summary>The owner of a lock, as an event names it: by one of two ids, which depends on the runtime's version.</summary>
/// <param name="Tid">Its OS thread id, if it is one; 0: nobody.</param>
/// <param name="Id">Its managed thread id, if it is one.</param>
internal readonly record struct LockOwner(int Tid, int Id)
{
    public static LockOwner Unknown => new(-1, -1);
}

/// <summary>What an activity is called.</summary>
/// <param name="Trace">Hexadecimal; empty: not reported.</param>
/// <param name="Span">Hexadecimal, unique within a trace and, being drawn from 2^64, in a process.</param>
/// <param name="Parent">Null: it began a trace, or its parent was not reported.</param>
internal readonly record struct ActivityNames(string Source, string Name, string Trace, string Span, string? Parent);

/// <summary>What a call asks for.</summary>
/// <param name="Port">-1: not known.</param>
/// <param name="Path">Without the query.</param>
/// <param name="Protocol">The version that was asked for, such as HTTP/1.1.</param>
internal readonly record struct CallTarget(string Scheme, string Host, int Port, string Path, string Protocol);

/// <summary>Payload of event 56, in its order; what each is stands in the schema (hill_climbing).</summary>
internal readonly record struct HillClimbingStats(
    double Duration,
    double Throughput,
    double ThreadWave,
    double ThroughputWave,
    double ThroughputError,
    double AverageThroughputError,
    double ThroughputRatio,
    double Confidence,
    double NewControlSetting,
    int NewThreadWaveMagnitude);
