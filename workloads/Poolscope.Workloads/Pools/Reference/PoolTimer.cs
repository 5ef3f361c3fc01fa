using System.Runtime.CompilerServices;

namespace Poolscope.Workloads.Pools.Reference;

/// <summary>Queues a callback to a reference pool when it is due, each period whether or not the previous one has run.
/// It keeps time on a thread of its own, because the runtime's timers would need a thread of the runtime's
/// pool.</summary>
internal sealed class PoolTimer : IDisposable
{
    private readonly ReferencePool _pool;
    private readonly Action _callback;
    private readonly Action<object, int> _fire;
    private readonly TimeSpan _due;
    private readonly TimeSpan _period;
    private readonly object _lock = new();
    private bool _stopped;

    public PoolTimer(ReferencePool pool, TimeSpan due, TimeSpan period, Action callback)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(due, TimeSpan.Zero);
        if (period != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(period, TimeSpan.Zero);
        }

        (_pool, _due, _period, _callback) = (pool, due, period, callback);
        _fire = Fire;
        if (ReferencePoolEvents.Log.TellsTimers)
        {
            ReferencePoolEvents.Log.TimerStarted(Id, (int)due.TotalMilliseconds, (int)period.TotalMilliseconds);
        }

        new Thread(KeepTime) { Name = $"{pool.Name} timer", IsBackground = true }.Start(pool.Now);
    }

    private long Id => RuntimeHelpers.GetHashCode(this);

    public void Dispose()
    {
        lock (_lock)
        {
            _stopped = true;
            Monitor.Pulse(_lock);
        }
    }

    private void KeepTime(object? started)
    {
        var next = (TimeSpan)started! + _due;
        while (SleepUntil(next) && _pool.TryEnqueue(_fire, this, 0) && _period != Timeout.InfiniteTimeSpan)
        {
            next += _period; // absolute, so that a late one does not delay later ones
        }
    }

    /// <returns>False if stopped.</returns>
    private bool SleepUntil(TimeSpan time)
    {
        lock (_lock)
        {
            for (var left = time - _pool.Now; !_stopped && left > TimeSpan.Zero; left = time - _pool.Now)
            {
                Monitor.Wait(_lock, WholeMilliseconds.Up(left));
            }

            return !_stopped;
        }
    }

    private void Fire(object self, int number)
    {
        if (ReferencePoolEvents.Log.TellsTimers)
        {
            ReferencePoolEvents.Log.TimerFired(Id);
        }

        _callback();
    }
}
