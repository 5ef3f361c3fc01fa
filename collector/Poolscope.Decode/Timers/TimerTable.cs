using Poolscope.Decode.WorkItems;
using Poolscope.Tables;

namespace Poolscope.Decode.Timers;

/// <summary>Table `timers`: each callback with its due time. Events report only when a timer was started and when its
/// callbacks ran. This class determines the start that a callback belongs to, and the next due time of a periodic
/// timer. Stopping a timer causes no event, so a timer that never ran has no row.</summary>
/// <param name="items">The pool's items, in which callbacks run.</param>
/// <param name="keepsSchedule">True if every period gets its callback, however late (reference pools). False for the
/// runtime, which continues a millisecond after it noticed that a whole period was missed.</param>
internal sealed class TimerTable(WorkItemTable items, bool keepsSchedule)
{
    /// <summary>The most by which a timer may run before it is due, ns: the resolution of its clock. The runtime's
    /// clock counts ticks of 1 to 10 ms on Linux, and of 15.6 ms on Windows.</summary>
    public const long ClockStepNs = 16_000_000;

    private const long NsPerMs = 1_000_000;

    private readonly Dictionary<long, Arming> _armed = [];
    private readonly Rows _rows = new();

    public Table Table => _rows.Table;

    public void Started(long time, int tid, long timerId, uint dueMs, uint periodMs)
    {
        _armed.TryGetValue(timerId, out var before);
        // A change replaces a start that is not due yet. A due callback may be on its way to a thread.
        var pending = before is not null && before.Due <= time ? before : null;
        _armed[timerId] = new Arming(time, tid, dueMs, periodMs, pending) { Due = time + (dueMs * NsPerMs) };
    }

    /// <param name="item">Row of the item that the thread runs; -1 if unknown.</param>
    public void Fired(long time, int tid, long timerId, int item)
    {
        var noticed = Noticed(time, timerId, item);
        _armed.TryGetValue(timerId, out var arming);
        Arming? changed = null;
        while (arming is not null && (arming.Sent > noticed || arming.Due - ClockStepNs > noticed))
        {
            (changed, arming) = (arming, arming.Pending);
        }

        _rows.Add(timerId, arming, time, tid, item);
        if (arming is null)
        {
            return; // started before the capture, or another timer reused this id
        }

        // Callbacks of one timer come in order: an earlier one that has not run was stopped.
        arming.Pending = null;
        arming.Due = NextDue(arming, noticed);
        var over = arming.PeriodMs == 0 || (changed is not null && arming.Due > changed.Sent);
        if (over && changed is not null)
        {
            changed.Pending = null;
        }
        else if (over)
        {
            _armed.Remove(timerId);
        }
    }

    /// <summary>Returns the time at which the runtime found the timer due. If several are due together, the runtime
    /// runs the first one in the item that checks the timers, and queues each other one as its own item.</summary>
    private long Noticed(long time, long timerId, int item)
    {
        var own = item >= 0 && items.Enqueue[item] >= 0 && (keepsSchedule || items.WorkId[item] == timerId);
        return own ? items.Enqueue[item] : time;
    }

    private long NextDue(Arming arming, long noticed)
    {
        var next = arming.Due + (arming.PeriodMs * NsPerMs);
        return keepsSchedule || noticed < next ? next : noticed + NsPerMs;
    }

    /// <summary>A start or change of a timer.</summary>
    private sealed class Arming(long sent, int sentTid, uint dueMs, uint periodMs, Arming? pending)
    {
        public long Sent { get; } = sent;

        public int SentTid { get; } = sentTid;

        public uint DueMs { get; } = dueMs;

        /// <summary>The period; 0 for a single callback.</summary>
        public uint PeriodMs { get; } = periodMs;

        /// <summary>Due time of the next callback, ns.</summary>
        public required long Due { get; set; }

        /// <summary>The start that this one changed, if a callback of it may still come.</summary>
        public Arming? Pending { get; set; } = pending;
    }

    private sealed class Rows
    {
        private readonly Column<long> _timerId;
        private readonly Column<long> _sent;
        private readonly Column<long> _dueIn;
        private readonly Column<long> _period;
        private readonly Column<long> _due;
        private readonly Column<long> _fired;
        private readonly Column<int> _tid;
        private readonly Column<long> _item;
        private readonly Column<int> _sentTid;

        public Rows()
        {
            _timerId = Table.Int64("timer_id");
            _sent = Table.Int64("sent");
            _dueIn = Table.Int64("due_in");
            _period = Table.Int64("period");
            _due = Table.Int64("due");
            _fired = Table.Int64("fired");
            _tid = Table.Int32("tid");
            _item = Table.Int64("item");
            _sentTid = Table.Int32("sent_tid");
        }

        public Table Table { get; } = Table.Create("timers");

        public void Add(long timerId, Arming? arming, long time, int tid, int item)
        {
            _timerId.Add(timerId);
            _sent.Add(arming?.Sent ?? -1);
            _dueIn.Add(arming is null ? -1 : arming.DueMs);
            _period.Add(arming is { PeriodMs: > 0 and var period } ? period : -1);
            _due.Add(arming?.Due ?? -1);
            _fired.Add(time);
            _tid.Add(tid);
            _item.Add(item);
            _sentTid.Add(arming?.SentTid ?? -1);
        }
    }
}
