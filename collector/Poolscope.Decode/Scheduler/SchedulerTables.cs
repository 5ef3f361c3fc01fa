using Poolscope.Decode.Sockets;
using Poolscope.Decode.Stacks;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Scheduler;

/// <summary>Fills the scheduler's tables from a stream of events. Call the event methods, then <see cref="Finish"/>,
/// then read the tables. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="targetPid">The process whose threads get all three states, over their whole life inside the
/// window.</param>
/// <param name="windowStart">The time from which every event was recorded.</param>
/// <param name="windowEnd">The first moment that the recording does not cover.</param>
public sealed class SchedulerTables(int targetPid, long windowStart, long windowEnd) : ISchedulerEvents
{
    private readonly NativeModules? _native;
    private readonly ThreadHistories _histories = new();
    private readonly RecordingGaps _gaps = new();
    private readonly Dictionary<int, RunningStretch> _running = [];
    private readonly SwitchRows _switches = new();
    private readonly WakeupRows _wakeups = new();
    private readonly SampleRows _samples = new();
    private readonly SampleChains _chains = new();
    private readonly SocketTables _sockets = new();
    private readonly ReportedSockets _reported = new();
    private ILookup<int, ThreadHistory>? _byTid;
    private StateOrigin _origin;
    private long _end;

    /// <param name="native">Receives the target's native modules.</param>
    internal SchedulerTables(int targetPid, long windowStart, long windowEnd, NativeModules native)
        : this(targetPid, windowStart, windowEnd) => _native = native;

    /// <summary>The kernel tier of the stream: "etw" if <see cref="Origin"/> says so, otherwise "tracepoint" or
    /// "switch" according to its events; "tracepoint" if there are none.</summary>
    public string Tier => _origin switch
    {
        StateOrigin.Switch => "switch",
        StateOrigin.Etw => "etw",
        _ => "tracepoint",
    };

    /// <summary>Sets the tier of the events if their kind does not show it.</summary>
    internal StateOrigin Origin
    {
        init => _origin = value;
    }

    public Table Switches => _switches.Table;

    public Table Wakeups => _wakeups.Table;

    /// <summary>The CPU samples. <see cref="AddStacks"/> fills in their stacks.</summary>
    public Table CpuSamples => _samples.Table;

    /// <summary>The target's TCP connections. Complete after <see cref="Finish"/>.</summary>
    public Table Sockets => _sockets.Sockets;

    /// <summary>The target's known connections that were open when the recording began.</summary>
    public IReadOnlyList<OpenConnection> OpenBefore { get; init; } = [];

    /// <summary>The transfers over the target's connections. Complete after <see cref="Finish"/>.</summary>
    public Table SocketTransfers => _sockets.Transfers;

    /// <summary>Whether Windows reported TCP connections of any process. If not, those of the target are
    /// unknown.</summary>
    public bool HasReportedSockets { get; private set; }

    /// <summary>The target's TCP connections as Windows reported them.</summary>
    public Table ReportedSockets => _reported.Sockets;

    /// <summary>The data transfers on these connections as Windows reported them.</summary>
    public Table SocketReports => _reported.Reports;

    /// <inheritdoc cref="SocketTables.LastTransfer"/>
    public long LastTransfer(int tid, long until) => _sockets.LastTransfer(tid, until);

    /// <summary>Every thread of every recorded process, by thread id and birth. Complete after
    /// <see cref="Finish"/>.</summary>
    public Table Threads { get; } = Table.Create("threads");

    /// <summary>The states of threads, by thread id and start. Complete after <see cref="Finish"/>.</summary>
    public Table ThreadStates { get; } = Table.Create("thread_states", packs: true);

    void ISchedulerEvents.Switch(long time, int cpu, int prevTid, int prevState, int nextTid)
    {
        _switches.Add(time, cpu, prevTid, prevState, nextTid);
        _histories.Switch(time, cpu, prevTid, prevState, nextTid);
    }

    void ISchedulerEvents.ThreadIn(long time, int cpu, int pid, int tid)
    {
        _origin = StateOrigin.Switch;
        _histories.ThreadIn(time, cpu, pid, tid);
    }

    void ISchedulerEvents.ThreadOut(long time, int cpu, int pid, int tid, bool preempted)
    {
        _origin = StateOrigin.Switch;
        _histories.ThreadOut(time, cpu, pid, tid, preempted);
    }

    void ISchedulerEvents.Wakeup(long time, int cpu, WakeupEvent wakeup, int waker, int wakee, int targetCpu)
    {
        _wakeups.Add(time, cpu, wakeup, waker, wakee, targetCpu);
        _histories.Wakeup(time, wakeup, wakee);
    }

    void ISchedulerEvents.Sample(long time, int cpu, int pid, int tid, ReadOnlySpan<ulong> userStack)
    {
        if (pid == targetPid)
        {
            _chains.Add(_samples.Table.Count, time, userStack);
        }

        _samples.Add(time, cpu, pid, tid);
        _histories.Seen(pid, tid);
    }

    void ISchedulerEvents.Mapping(long time, int pid, ulong address, ulong length, ulong fileOffset, string name)
    {
        if (pid == targetPid)
        {
            _native?.Add(time, address, length, fileOffset, name);
        }
    }

    void ISchedulerEvents.ThreadName(long time, int pid, int tid, string name) => _histories.Name(pid, tid, name);

    void ISchedulerEvents.ThreadStart(long time, int pid, int tid, int parentTid) => _histories.Started(time, pid, tid, parentTid);

    void ISchedulerEvents.ThreadExit(long time, int pid, int tid) => _histories.Exited(time, pid, tid);

    void ISchedulerEvents.SocketArrival(long time, ulong socket, int bytes, SocketEndpoints endpoints) =>
        _sockets.Arrived(time, socket, bytes, endpoints);

    void ISchedulerEvents.SocketSend(long time, int pid, int tid, ulong socket, int bytes)
    {
        if (pid == targetPid)
        {
            _sockets.Sent(time, tid, socket, bytes);
        }
        else
        {
            _sockets.UsedByOthers(socket);
        }
    }

    void ISchedulerEvents.SocketRead(long time, int pid, int tid, ulong socket, int bytes)
    {
        if (pid == targetPid)
        {
            _sockets.Read(time, tid, socket, bytes);
        }
        else
        {
            _sockets.UsedByOthers(socket);
        }
    }

    void ISchedulerEvents.SocketState(
        long time, int pid, int tid, ulong socket, TcpState before, TcpState after, SocketEndpoints endpoints) =>
        _sockets.Changed(time, pid == targetPid ? tid : -1, socket, before, after, endpoints);

    void ISchedulerEvents.SocketReport(long time, int pid, TcpReport report, int bytes, SocketEndpoints endpoints)
    {
        HasReportedSockets = true;
        if (pid == targetPid)
        {
            _reported.Add(time, report, bytes, endpoints);
        }
    }

    void ISchedulerEvents.Lost(long after, long before, int cpu, long count)
    {
        _gaps.Add(after, before, count);
        if (cpu >= 0)
        {
            _histories.Gap(cpu, after);
        }
    }

    void ISchedulerEvents.SamplesThrottled(long start, long end, int cpu) => _gaps.AddThrottled(start, end);

    /// <summary>Computes the threads and their states. Call once, after the last event.</summary>
    /// <param name="streamEnd">The last moment that a cut stream covers (<see cref="PerfDataSummary.LastNs"/>). States
    /// end there, and the rest of the window is a loss.</param>
    /// <param name="onlyTarget">Whether the stream omits the records of other processes. The histories of their threads
    /// are then incomplete and are dropped.</param>
    public void Finish(long streamEnd = long.MaxValue, bool onlyTarget = false)
    {
        _end = Math.Min(windowEnd, streamEnd);
        _histories.Finish();
        _sockets.Finish(OpenBefore);
        _gaps.Finish(windowStart, _end);
        var states = new StateRows(ThreadStates, _origin);
        var needed = _histories.Ordered.Where(thread => thread.Pid == targetPid || thread.Pid < 0).Select(thread => thread.Tid).ToHashSet();
        foreach (var thread in _histories.Ordered.Where(thread => !onlyTarget || thread.Pid == targetPid))
        {
            AddThread(thread);
            states.Add(thread, _gaps, windowStart, _end, isTarget: thread.Pid == targetPid);
            if (!needed.Contains(thread.Tid))
            {
                thread.Forget(); // makes room for the following rows
            }
        }

        _byTid = _histories.Ordered.Where(thread => needed.Contains(thread.Tid)).ToLookup(thread => thread.Tid);
    }

    /// <summary>Adds the stacks of the target's CPU samples.</summary>
    internal void AddStacks(StackTables stacks) => _chains.Apply(stacks, _samples.Stack);

    /// <summary>Adds the losses of this stream. Call after <see cref="Finish"/>.</summary>
    /// <param name="isDamaged">Whether a stream that ends before its window is damaged instead of cut.</param>
    public void AddLosses(Table losses, bool isDamaged = false)
    {
        ArgumentNullException.ThrowIfNull(losses);
        _gaps.AddTo(losses, SchedulerRecording.DataFileName);
        if (_end < windowEnd)
        {
            RecordingGaps.AddRow(losses, SchedulerRecording.DataFileName, _end, windowEnd, -1, isDamaged ? RecordingGaps.Damaged : RecordingGaps.Cut);
        }
    }

    /// <summary>Returns the intervals in which a thread was on a CPU, in order, inside the window, and an empty
    /// interval at each end of blocked time. A thread that never ran has no intervals, nor has one of another process.
    /// An id that a thread of the target reused has the intervals of all its threads. Call after
    /// <see cref="Finish"/>.</summary>
    /// <param name="before">Returns only intervals that begin before this time, ns.</param>
    /// <param name="count">Returns at least the last <paramref name="count"/> of these, or all if there are
    /// fewer.</param>
    /// <returns>The intervals, valid until the next call for the same id.</returns>
    public ReadOnlySpan<(long Start, long End)> RunningIntervals(int tid, long before = long.MaxValue, int count = int.MaxValue)
    {
        if (!_running.TryGetValue(tid, out var stretch))
        {
            var histories = _byTid ?? throw new InvalidOperationException("Finish has not been called.");
            stretch = new RunningStretch([.. histories[tid]], windowStart, _end);
            _running.Add(tid, stretch);
        }

        return stretch.Before(before, count);
    }

    private void AddThread(ThreadHistory thread)
    {
        Threads.Int32("tid").Add(thread.Tid);
        Threads.Int32("pid").Add(thread.Pid);
        Threads.String("name").Add(thread.Name);
        Threads.Int64("start").Add(thread.Start);
        Threads.Int64("end").Add(thread.End);
    }
}
