using Poolscope.Decode.Sockets;
using Poolscope.Decode.Stacks;
using Poolscope.KernelEvents;
using Poolscope.PerfEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Scheduler;

/// <summary>Fills the scheduler's tables from a stream of events: call the events, then <see cref="Finish"/>, then read the
/// tables. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="targetPid">Process whose threads get all three states, over their whole life inside the window.</param>
/// <param name="windowStart">From here on every event was recorded.</param>
/// <param name="windowEnd">First moment that the recording does not cover.</param>
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

    /// <param name="native">Gets the target's native modules.</param>
    internal SchedulerTables(int targetPid, long windowStart, long windowEnd, NativeModules native)
        : this(targetPid, windowStart, windowEnd) => _native = native;

    /// <summary>The kernel tier of the stream, by its events: "tracepoint" or "switch"; without an event, "tracepoint". "etw" where it was told to be.</summary>
    public string Tier => _origin switch
    {
        StateOrigin.Switch => "switch",
        StateOrigin.Etw => "etw",
        _ => "tracepoint",
    };

    /// <summary>Where the events come from, if their kind does not show.</summary>
    internal StateOrigin Origin
    {
        init => _origin = value;
    }

    public Table Switches => _switches.Table;

    public Table Wakeups => _wakeups.Table;

    /// <summary>Stacks are filled in by <see cref="AddStacks"/>.</summary>
    public Table CpuSamples => _samples.Table;

    /// <summary>The target's TCP connections. Complete after <see cref="Finish"/>.</summary>
    public Table Sockets => _sockets.Sockets;

    /// <summary>The target's connections that were open when the recording began, as far as they are known.</summary>
    public IReadOnlyList<OpenConnection> OpenBefore { get; init; } = [];

    /// <summary>What went over them. Complete after <see cref="Finish"/>.</summary>
    public Table SocketTransfers => _sockets.Transfers;

    /// <summary>Windows reported TCP connections, whosever: without that, nothing is known of the target's.</summary>
    public bool HasReportedSockets { get; private set; }

    /// <summary>The target's TCP connections as Windows told of them.</summary>
    public Table ReportedSockets => _reported.Sockets;

    /// <summary>What it told of their data.</summary>
    public Table SocketReports => _reported.Reports;

    /// <inheritdoc cref="SocketTables.LastTransfer"/>
    public long LastTransfer(int tid, long until) => _sockets.LastTransfer(tid, until);

    /// <summary>Every thread of every process that was seen, by thread id and birth. Complete after <see cref="Finish"/>.</summary>
    public Table Threads { get; } = Table.Create("threads");

    /// <summary>By thread id and start. Complete after <see cref="Finish"/>.</summary>
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

    /// <summary>Works out threads and their states. Call once, after the last event.</summary>
    /// <param name="streamEnd">Last moment that a cut stream covers (<see cref="PerfDataSummary.LastNs"/>): states end there,
    /// and the rest of the window is a loss.</param>
    /// <param name="onlyTarget">Other processes' records were left out, so what is there of them is no history.</param>
    public void Finish(long streamEnd = long.MaxValue, bool onlyTarget = false)
    {
        _end = Math.Min(windowEnd, streamEnd);
        _histories.Finish();
        _sockets.Finish(OpenBefore);
        _gaps.Finish(windowStart, _end);
        var states = new StateRows(ThreadStates, _origin);
        foreach (var thread in _histories.Ordered.Where(thread => !onlyTarget || thread.Pid == targetPid))
        {
            AddThread(thread);
            var gap = 0;
            var intervals = new StateIntervals(thread, windowStart, _end);
            while (intervals.Next())
            {
                var (start, end, state) = (intervals.Start, intervals.End, intervals.State);
                if (state != ThreadState.Blocked || thread.Pid == targetPid)
                {
                    var uncertain = _gaps.Longest(start, end, ref gap);
                    if (state == ThreadState.Blocked && _origin == StateOrigin.Switch)
                    {
                        uncertain = Math.Max(uncertain, end - start); // the wake-up was not reported: it may have come at any time
                    }

                    states.Add(thread.Tid, start, end, state, uncertain);
                }
            }
        }

        _byTid = _histories.Ordered.ToLookup(h => h.Tid);
    }

    /// <summary>Gives the target's CPU samples their stacks.</summary>
    internal void AddStacks(StackTables stacks) => _chains.Apply(stacks, _samples.Stack);

    /// <summary>Adds what this stream lost. After <see cref="Finish"/>.</summary>
    /// <param name="isDamaged">A stream that ends before its window does was damaged, not cut.</param>
    public void AddLosses(Table losses, bool isDamaged = false)
    {
        ArgumentNullException.ThrowIfNull(losses);
        _gaps.AddTo(losses, SchedulerRecording.DataFileName);
        if (_end < windowEnd)
        {
            RecordingGaps.AddRow(losses, SchedulerRecording.DataFileName, _end, windowEnd, -1, isDamaged ? RecordingGaps.Damaged : RecordingGaps.Cut);
        }
    }

    /// <summary>When a thread was on a CPU, in order, inside the window, and an empty interval where blocked time ended; none
    /// for a thread that never was. After <see cref="Finish"/>. A thread id that was used again has the intervals of each of its threads.</summary>
    /// <param name="before">Only those that begin before this time, ns.</param>
    /// <param name="count">At least this many of these, the last ones; all, if there are fewer.</param>
    /// <returns>Valid until the next call for the same id.</returns>
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
