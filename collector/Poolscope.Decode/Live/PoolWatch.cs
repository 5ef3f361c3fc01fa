namespace Poolscope.Decode.Live;

/// <summary>Keeps what a pool's events say about its state: who waits, and for how long. Events come in order of time from one
/// thread, samples are taken from any.</summary>
/// <remarks>An enqueue without a dequeue is not always an item that waits: a waiting thread runs a queued task itself, and a
/// worker that stops queues its items again (docs/event-semantics.md). The runtime's counter of queued items settles it: of
/// more items than that the oldest are forgotten.</remarks>
/// <param name="startNs">When watching began; CLOCK_MONOTONIC ns.</param>
internal sealed class PoolWatch(long startNs)
{
    /// <summary>Index of Starvation in pool_changes.reason.</summary>
    private const int Starvation = 6;

    /// <summary>A reading of the counter is of a slightly different moment than the event that shows it: items as young as this
    /// may be missing in it.</summary>
    private const long SlackNs = 100_000_000;

    /// <summary>For the same reason a single item more than is known is no sign of items from before.</summary>
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

    /// <summary>The runtime's counter of queued items.</summary>
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

            // Items that were queued before this began have no enqueue, and those that a starved pool does not show have none
            // either. They have waited since at least the beginning for as long as every reading has shown some.
            var unknown = length - _items.Count >= LeastEarlier ? length - _items.Count : 0;
            _earlier = _earlier < 0 ? unknown : Math.Min(_earlier, unknown);
        }
    }

    /// <summary>The runtime's counter of worker threads.</summary>
    public void Threads(long time, int count)
    {
        lock (_lock)
        {
            Passed(time);
            _threads = count;
        }
    }

    /// <summary>The pool wants another number of threads.</summary>
    /// <param name="reason">Index into pool_changes.reason.</param>
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

    /// <summary>Events are missing, so items whose dequeue is among them would seem to wait for ever.</summary>
    public void Lost(long count)
    {
        lock (_lock)
        {
            _lost += count;
            _items.Clear();
            _earlier = 0;
        }
    }

    /// <param name="nowNs">CLOCK_MONOTONIC; not before the sample before.</param>
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
