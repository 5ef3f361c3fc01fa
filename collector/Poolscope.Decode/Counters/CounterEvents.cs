namespace Poolscope.Decode.Counters;

/// <summary>Makes readings from the counters of the provider System.Runtime. Each counter is an event of its own; a
/// reading consists of those that the runtime wrote together.</summary>
public sealed class CounterEvents
{
    /// <summary>The provider of the runtime's counters.</summary>
    public const string Provider = "System.Runtime";

    /// <summary>The name of every counter's event.</summary>
    public const string EventName = "EventCounters";

    /// <summary>The counter of work items that ended.</summary>
    public const string Completed = "threadpool-completed-items-count";

    private const string Queue = "threadpool-queue-length";
    private const string Threads = "threadpool-thread-count";
    private const string Timers = "active-timer-count";
    private const string Methods = "methods-jitted-count";
    private const string Compiling = "time-in-jit";

    private static readonly HashSet<string> Wanted = [Queue, Completed, Threads, Timers, Methods, Compiling];

    private readonly Action<CounterReading> _handler;
    private readonly Dictionary<string, double> _values = [];
    private long _time;
    private long _since;

    internal CounterEvents(Action<CounterReading> handler) => _handler = handler;

    /// <param name="value">The value of the counter, or the increment of an incrementing counter.</param>
    /// <param name="seconds">Seconds since the previous reading.</param>
    internal void Add(long time, string name, double value, double seconds)
    {
        if (!Wanted.Contains(name))
        {
            return;
        }

        if (_values.ContainsKey(name))
        {
            Flush();
        }

        if (_values.Count == 0)
        {
            _time = time;
            _since = Math.Max(time - (long)(seconds * 1e9), 0);
        }

        _values[name] = value;
        if (_values.Count == Wanted.Count)
        {
            Flush();
        }
    }

    /// <summary>Delivers the last reading, after which no counter follows.</summary>
    internal void Flush()
    {
        if (_values.Count > 0)
        {
            var compiling = Value(Compiling, 1e6);
            _handler(new CounterReading(_time, _since, Value(Queue), Value(Completed), (int)Math.Min(Value(Threads), int.MaxValue), Value(Timers), Value(Methods), compiling));
            _values.Clear();
        }
    }

    private long Value(string name, double unit = 1) => _values.TryGetValue(name, out var value) ? (long)Math.Round(value * unit) : -1;
}
