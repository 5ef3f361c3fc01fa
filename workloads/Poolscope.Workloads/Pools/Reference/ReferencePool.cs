using Poolscope.Workloads.Pools.Reference.Growth;

namespace Poolscope.Workloads.Pools.Reference;

/// <summary>A thread pool with real threads: one FIFO queue under one lock, threads that park without spinning, and a
/// gate thread. Its policy decides when it grows.</summary>
/// <remarks>Idle threads wake first in, first out, as Monitor does it. An item that throws ends, and the pool lives
/// on.</remarks>
public sealed partial class ReferencePool : IPool
{
    private static long s_lastId;

    [ThreadStatic]
    private static ReferencePool? t_current;

    private readonly IGrowthPolicy _policy;
    private readonly TimeProvider _clock;
    private readonly long _origin;
    private readonly PoolTaskScheduler _scheduler;
    private readonly ReferencePoolEvents _events = ReferencePoolEvents.Log;
    private readonly List<Thread> _workers = [];

    // Guards everything below. Monitor rather than Lock, because idle threads wait on it.
    private readonly object _lock = new();
    private readonly Queue<WorkItem> _queue = new();
    private GateThread? _gate;
    private TimeSpan _lastCreation;
    private long _completed;
    private int _created;
    private int _failed;
    private int _total;
    private int _idle;
    private int _min;
    private int _max;
    private int _goal;
    private bool _disposed;

    /// <param name="name">Name for people, in names of threads and in messages.</param>
    /// <param name="clock">Clock for the policy; default: the system's.</param>
    /// <exception cref="PoolRefusedException">The first threads could not be created.</exception>
    public ReferencePool(string name, IGrowthPolicy policy, TimeProvider? clock = null)
    {
        Name = name;
        _policy = policy;
        _clock = clock ?? TimeProvider.System;
        _origin = _clock.GetTimestamp();
        _scheduler = new PoolTaskScheduler(this);
        (_min, _max) = (policy.Limits.MinThreads, policy.Limits.MaxThreads);
        _goal = _min;
        LivePools.Add(this);
        Announce(_events);
        StartFirstThreads();
    }

    /// <summary>The pool of the current thread; null if it belongs to none.</summary>
    internal static ReferencePool? Current => t_current;

    public string Name { get; }

    public int ThreadCount => Volatile.Read(ref _total);

    public int MaxThreads => Volatile.Read(ref _max);

    public long CompletedItems => Interlocked.Read(ref _completed);

    /// <summary>Number of items that threw; they count as completed.</summary>
    public int FailedItems => Volatile.Read(ref _failed);

    /// <summary>Time on the pool's clock since the pool was created.</summary>
    internal TimeSpan Now => _clock.GetElapsedTime(_origin);

    /// <remarks>Call it only before the first item: none of these pools could handle a maximum below its
    /// threads.</remarks>
    public PoolLimits Limit(int? minThreads, int? maxThreads)
    {
        lock (_lock)
        {
            var max = maxThreads ?? _max;
            var min = minThreads ?? Math.Min(_min, max);
            if ((min, max) == (_min, _max))
            {
                return new PoolLimits(min, max);
            }

            if (_created > 0)
            {
                throw new PoolRefusedException($"{Name} has {_created} threads already: its limits stay as they are");
            }

            if (min > max)
            {
                throw new PoolRefusedException($"asked {Name} for min {min}, max {max} threads: the minimum is above the maximum");
            }

            // A pool whose minimum is its maximum has no separate minimum to report.
            var note = minThreads is null && min < _min && _min < _max
                ? $"the default minimum of {_min} was lowered to {min}, the maximum"
                : null;
            (_min, _max, _goal) = (min, max, min);
            Announce(_events);
            return new PoolLimits(min, max, note);
        }
    }

    public void Queue(Action<int> body, int item) =>
        Enqueue(static (body, item) => ((Action<int>)body)(item), body, item);

    public void QueueAsync(Func<int, Task> body, int item) =>
        _ = Task.Factory.StartNew(() => body(item), CancellationToken.None, TaskCreationOptions.DenyChildAttach, _scheduler);

    public IDisposable StartTimer(TimeSpan due, TimeSpan period, Action callback) => new PoolTimer(this, due, period, callback);

    /// <summary>Ends the pool. Returns when every thread has ended. An item must not call it.</summary>
    public void Dispose()
    {
        GateThread? gate;
        lock (_lock)
        {
            _disposed = true;
            _queue.Clear();
            gate = _gate;
            Monitor.PulseAll(_lock);
            while (_total > 0)
            {
                Monitor.Wait(_lock);
            }
        }

        // The list no longer changes: every thread in it has been started and has nothing left to do.
        _workers.ForEach(worker => worker.Join());
        gate?.Dispose();
        LivePools.Remove(this);
    }

    /// <exception cref="ObjectDisposedException">The pool has ended.</exception>
    internal void Enqueue(Action<object, int> body, object state, int number) =>
        ObjectDisposedException.ThrowIf(!TryEnqueue(body, state, number), this);

    /// <returns>False if the pool has ended.</returns>
    internal bool TryEnqueue(Action<object, int> body, object state, int number)
    {
        var item = new WorkItem(Interlocked.Increment(ref s_lastId), body, state, number);
        if (_events.TellsItems)
        {
            _events.ThreadPoolEnqueueWork(item.Id);
        }

        Thread? created = null;
        lock (_lock)
        {
            if (_disposed)
            {
                return false;
            }

            _queue.Enqueue(item);
            if (_idle > 0)
            {
                Monitor.Pulse(_lock);
            }

            if (_policy.CreatesAtEnqueue(State()))
            {
                created = Create(GoalChange.Initializing);
            }

            if (_gate is null && _policy.FirstLook is { } first)
            {
                _gate = new GateThread($"{Name} gate", first, Look);
            }
        }

        Start(created);
        return true;
    }

    /// <summary>Reports the pool's present state to a session.</summary>
    internal void Announce(ReferencePoolEvents events)
    {
        if (!events.TellsThreads)
        {
            return;
        }

        events.ReferencePool(Name);
        events.ThreadPoolMinMaxThreads((ushort)_min, (ushort)_max, 0, 0);
        var goal = Volatile.Read(ref _goal);
        if (goal > _min)
        {
            events.ThreadPoolWorkerThreadAdjustmentAdjustment(0, goal, (int)GoalChange.Initializing);
        }
    }

    private TimeSpan Look()
    {
        Thread? created = null;
        Look look;
        lock (_lock)
        {
            look = _policy.AtGate(State());
            if (look.Create && !_disposed)
            {
                created = Create(GoalChange.Starvation);
            }
        }

        Start(created);
        return look.Next;
    }

    private PoolState State() => new(Now, _lastCreation, _queue.Count, _total, _idle, _min, _max);
}
