namespace Poolscope.Decode.Live;

/// <summary>Tracks the state of a pool from its events: which items wait, and for how long. One thread delivers events
/// in order of time; any thread may take samples.</summary>
/// <remarks>An enqueue without a dequeue is not always a waiting item: a waiting thread runs a queued task itself, and
/// a worker that stops queues its items again (docs/event-semantics.md). The runtime's counter of queued items decides:
/// if more items are known, the oldest are forgotten.</remarks>
/// <param name="startNs">The start of watching, CLOCK_MONOTONIC ns.</param>
internal sealed class PoolWatch(long startNs)
{
    /// <summary>The index of Starvation in pool_changes.reason.</summary>
    private const int Starvation = 6;

    /// <summary>The counter is read at a slightly different moment than its event shows, so items as young as this may
    /// be missing in it. ns.</summary>
    private const long SlackNs = 100_000_000;

    /// <summary>The fewest unknown items that count as queued before the start. A single one may be due to the same
    /// difference.</summary>
    private const long LeastEarlier = 2;

    private readonly Lock _lock = new();
    private readonly long _start = startNs;
    private readonly WaitingItems _items = new();
    private long _longest;
    private long _earlier = -1;
    private long _queue = -1;
    private int _threads = -1;
    private int _goal = -1;
    private long _starvation = -1;
    private long _latest = startNs;
    private int _goalReason = -1;
    private long _goalTime = -1;
    private long _starvations;
    private long _begun;
    private long _lost;

    /// <summary>An item enters a queue.</summary>
    public void Enqueue(long time, long workId)
    {
        lock (_lock)
        {
            Passed(time);
            _items.Add(workId, time);
        }
    }

    /// <summary>An item is about to run.</summary>
    public void Dequeue(long time, long workId)
    {
        lock (_lock)
        {
            Passed(time);
            _begun++;
            if (_items.Take(workId) is { } enqueued)
            {
                _longest = Math.Max(_longest, time - enqueued);
            }
            else if (_earlier > 0)
            {
                _longest = Math.Max(_longest, time - _start);
                _earlier--;
            }
        }
    }

    /// <summary>Takes the runtime's counter of queued items.</summary>
    public void Queue(long time, long length)
    {
        lock (_lock)
        {
            Passed(time);
            _queue = length;
            if (_items.IsPartial)
            {
                return;
            }

            if (_items.Count > length)
            {
                _items.Forget((int)(_items.Count - length), time - SlackNs);
            }

            // Items queued before watching began have no enqueue, nor do items that a starved pool does not report.
            // They have waited at least since the start, as long as every reading has shown some.
            var unknown = length - _items.Count >= LeastEarlier ? length - _items.Count : 0;
            _earlier = _earlier < 0 ? unknown : Math.Min(_earlier, unknown);
        }
    }

    /// <summary>Takes the runtime's counter of worker threads.</summary>
    public void Threads(long time, int count)
    {
        lock (_lock)
        {
            Passed(time);
            _threads = count;
        }
    }

    /// <summary>The pool changed its thread goal.</summary>
    /// <param name="reason">The reason, as an index into pool_changes.reason.</param>
    public void Goal(long time, int goal, int reason)
    {
        lock (_lock)
        {
            Passed(time);
            _goal = goal;
            (_goalReason, _goalTime) = (reason, time);
            if (reason == Starvation)
            {
                _starvation = time;
                _starvations++;
            }
        }
    }

    /// <summary>Forgets all items, because events are missing: items whose dequeue is among them would seem to wait
    /// forever.</summary>
    public void Lost(long count)
    {
        lock (_lock)
        {
            _lost += count;
            _items.Clear();
            _earlier = 0;
        }
    }

    /// <param name="nowNs">CLOCK_MONOTONIC ns; not before the previous sample.</param>
    public PoolSample Sample(long nowNs)
    {
        lock (_lock)
        {
            var wait = Math.Max(_longest, _items.Oldest is { } oldest ? nowNs - oldest : 0);
            wait = _earlier > 0 ? Math.Max(wait, nowNs - _start) : wait;
            var begun = _longest;
            _longest = 0;
            return new PoolSample(nowNs, wait, _queue, _threads, _goal, _starvation, Math.Max(0, nowNs - _latest), _lost)
            {
                BegunWaitNs = begun,
                GoalReason = _goalReason,
                GoalNs = _goalTime,
                Starvations = _starvations,
                Begun = _begun,
            };
        }
    }

    private void Passed(long time) => _latest = Math.Max(_latest, time);
}
