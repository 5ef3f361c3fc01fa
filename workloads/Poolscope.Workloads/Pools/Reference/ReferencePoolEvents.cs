using System.Diagnostics.Tracing;

namespace Poolscope.Workloads.Pools.Reference;

/// <summary>The events of reference pools. Ids, payloads and meanings are those of the runtime's own events (work items
/// and timers: FrameworkEventSource; the rest: Microsoft-Windows-DotNETRuntime), so a decoder of those decodes these.
/// They need a manifest, because self-describing events have ids and layouts of their own.</summary>
[EventSource(Name = ProviderName)]
internal sealed unsafe class ReferencePoolEvents : EventSource
{
    public const string ProviderName = "Poolscope-ReferencePool";

    private const int TimerKind = 1;

    public static readonly ReferencePoolEvents Log = new();

    private ReferencePoolEvents()
    {
    }

    public bool TellsItems => IsEnabled(EventLevel.Verbose, Keywords.WorkItems);

    public bool TellsTimers => IsEnabled(EventLevel.Informational, Keywords.Timers);

    public bool TellsThreads => IsEnabled(EventLevel.Informational, Keywords.Threads);

    /// <summary>A pool exists: written at its construction and when a session begins. The runtime has no such
    /// event.</summary>
    [Event(1, Level = EventLevel.Informational, Keywords = Keywords.Threads)]
    public void ReferencePool(string name) => WriteEvent(1, name);

    /// <summary>Written right before the item enters the queue.</summary>
    [Event(30, Level = EventLevel.Verbose, Keywords = Keywords.WorkItems)]
    public void ThreadPoolEnqueueWork(long workID) => WriteEvent(30, workID);

    /// <summary>Written right before the item runs, on its thread.</summary>
    [Event(31, Level = EventLevel.Verbose, Keywords = Keywords.WorkItems)]
    public void ThreadPoolDequeueWork(long workID) => WriteEvent(31, workID);

    /// <summary>Written first on a new thread.</summary>
    [Event(50, Level = EventLevel.Informational, Keywords = Keywords.Threads)]
    public void ThreadPoolWorkerThreadStart(int activeWorkerThreadCount, int retiredWorkerThreadCount) =>
        WriteEvent(50, activeWorkerThreadCount, retiredWorkerThreadCount);

    /// <summary>Written last on a thread that was idle for too long or whose pool is disposed of.</summary>
    [Event(51, Level = EventLevel.Informational, Keywords = Keywords.Threads)]
    public void ThreadPoolWorkerThreadStop(int activeWorkerThreadCount, int retiredWorkerThreadCount) =>
        WriteEvent(51, activeWorkerThreadCount, retiredWorkerThreadCount);

    /// <summary>Written when a thread has found the queue empty and is about to park. These pools do not spin
    /// before.</summary>
    [Event(57, Level = EventLevel.Informational, Keywords = Keywords.Threads)]
    public void ThreadPoolWorkerThreadWait(int activeWorkerThreadCount, int retiredWorkerThreadCount) =>
        WriteEvent(57, activeWorkerThreadCount, retiredWorkerThreadCount);

    /// <summary>The number of items that may hold a thread from now on.</summary>
    /// <param name="averageThroughput">Always 0: these pools measure nothing.</param>
    /// <param name="newWorkerThreadCount">The minimum, or the number of existing threads if that is more.</param>
    /// <param name="reason">A <see cref="GoalChange"/>.</param>
    [Event(55, Level = EventLevel.Informational, Keywords = Keywords.Threads)]
    public void ThreadPoolWorkerThreadAdjustmentAdjustment(double averageThroughput, int newWorkerThreadCount, int reason)
    {
        var data = stackalloc EventData[3];
        data[0] = Field(&averageThroughput, sizeof(double));
        data[1] = Field(&newWorkerThreadCount, sizeof(int));
        data[2] = Field(&reason, sizeof(int));
        WriteEventCore(55, 3, data);
    }

    /// <summary>Limits in threads. As in the runtime, those of I/O threads have no meaning.</summary>
    [Event(59, Level = EventLevel.Informational, Keywords = Keywords.Threads)]
    public void ThreadPoolMinMaxThreads(
        ushort minWorkerThreads, ushort maxWorkerThreads, ushort minIOCompletionThreads, ushort maxIOCompletionThreads)
    {
        var data = stackalloc EventData[4];
        data[0] = Field(&minWorkerThreads, sizeof(ushort));
        data[1] = Field(&maxWorkerThreads, sizeof(ushort));
        data[2] = Field(&minIOCompletionThreads, sizeof(ushort));
        data[3] = Field(&maxIOCompletionThreads, sizeof(ushort));
        WriteEventCore(59, 4, data);
    }

    [NonEvent]
    public void TimerStarted(long id, int dueMs, int periodMs) => ThreadTransferSend(id, TimerKind, "", false, dueMs, periodMs);

    [NonEvent]
    public void TimerFired(long id) => ThreadTransferReceive(id, TimerKind, "");

    /// <summary>A timer was started.</summary>
    /// <param name="intInfo1">Time until the timer is due, ms.</param>
    /// <param name="intInfo2">Time from one callback to the next, ms; -1 for a single one.</param>
    [Event(150, Level = EventLevel.Informational, Keywords = Keywords.Timers)]
    private void ThreadTransferSend(long id, int kind, string info, bool multiDequeues, int intInfo1, int intInfo2) =>
        WriteEvent(150, id, kind, info, multiDequeues, intInfo1, intInfo2);

    /// <summary>Written right before a timer's callback.</summary>
    [Event(151, Level = EventLevel.Informational, Keywords = Keywords.Timers)]
    private void ThreadTransferReceive(long id, int kind, string info) => WriteEvent(151, id, kind, info);

    /// <summary>Announces the existing pools to a session that begins late.</summary>
    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        if (command.Command == EventCommand.Enable)
        {
            foreach (var pool in LivePools.All)
            {
                pool.Announce(this);
            }
        }
    }

    private static EventData Field(void* value, int size) => new() { DataPointer = (nint)value, Size = size };

    /// <summary>The keywords of the runtime's providers.</summary>
    public static class Keywords
    {
        public const EventKeywords WorkItems = (EventKeywords)0x2;
        public const EventKeywords Timers = (EventKeywords)0x10;
        public const EventKeywords Threads = (EventKeywords)0x10000;
    }
}

/// <summary>The reason for a change of the goal, in the runtime's numbers. Those of hill climbing do not
/// occur.</summary>
internal enum GoalChange
{
    /// <summary>An enqueue created a thread beyond the minimum, or a session began late and needs the goal.</summary>
    Initializing = 1,

    /// <summary>The gate thread created a thread because items were queued.</summary>
    Starvation = 6,

    /// <summary>An idle thread ended.</summary>
    ThreadTimedOut = 7,
}
