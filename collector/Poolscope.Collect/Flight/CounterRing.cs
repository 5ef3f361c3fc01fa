using Poolscope.Decode.Counters;

namespace Poolscope.Collect.Flight;

/// <summary>Keeps the readings of the runtime's counters of the last minutes.</summary>
internal sealed class CounterRing
{
    private readonly Lock _lock = new();
    private readonly Queue<CounterReading> _readings = [];
    private CounterReading? _latest;

    /// <summary>The latest reading, or null if there is none yet.</summary>
    public CounterReading? Latest
    {
        get
        {
            lock (_lock)
            {
                return _latest;
            }
        }
    }

    public void Add(CounterReading reading)
    {
        lock (_lock)
        {
            _readings.Enqueue(reading);
            _latest = reading;
        }
    }

    /// <summary>Drops the readings before a time.</summary>
    public void Forget(long beforeNs)
    {
        lock (_lock)
        {
            while (_readings.TryPeek(out var first) && first.TimeNs < beforeNs)
            {
                _readings.Dequeue();
            }
        }
    }

    public IReadOnlyList<CounterReading> Between(long fromNs, long toNs)
    {
        lock (_lock)
        {
            return [.. _readings.Where(reading => reading.TimeNs >= fromNs && reading.TimeNs <= toNs)];
        }
    }
}
