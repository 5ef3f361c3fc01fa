using Poolscope.Decode.Counters;

namespace Poolscope.Decode.Runtime;

/// <content>The counters of System.Runtime, if another tool's trace holds them among the runtime's events.</content>
internal sealed partial class RuntimeTables
{
    private readonly List<CounterReading> _readings = [];
    private CounterEvents? _counters;

    public void Counter(long time, string name, double value, double seconds)
    {
        _counters ??= new CounterEvents(_readings.Add);
        _counters.Add(time, name, value, seconds);
    }

    /// <summary>Returns the counters' readings. Call after the stream has been read.</summary>
    public IReadOnlyList<CounterReading> Readings()
    {
        _counters?.Flush();
        return _readings;
    }
}
