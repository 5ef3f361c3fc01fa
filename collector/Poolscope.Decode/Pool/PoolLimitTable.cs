using Poolscope.Decode.Manifest;
using Poolscope.Tables;

namespace Poolscope.Decode.Pool;

/// <summary>Table `pool_limits`: the limits from event 59, or from the manifest's configuration if that event is
/// missing.</summary>
internal sealed class PoolLimitTable
{
    // In the schema's order, from strongest to weakest, except the last one, which is as strong as an event.
    private static readonly string[] Known = ["event", "environment", "runtimeconfig", "default", "unknown", KnownValue.Look];

    private readonly Column<long> _time;
    private readonly Column<int> _min;
    private readonly Column<int> _max;
    private readonly Column<byte> _known;
    private readonly List<(long Time, int Min, int Max)> _events = [];

    public PoolLimitTable()
    {
        _time = Table.Int64("time");
        _min = Table.Int32("min");
        _max = Table.Int32("max");
        _known = Table.Enum("known");
    }

    public Table Table { get; } = Table.Create("pool_limits");

    public void AddEvent(long time, int min, int max) => _events.Add((time, min, max));

    /// <summary>Writes the rows. A launched target reports its limits when it builds the pool. An attached target built
    /// it before, so its event 59 is only a later change, and the configuration gives the earlier limits. A Windows
    /// trace may hold the event before the first work item, where the stream starts to count; then the event overrides
    /// the configuration.</summary>
    /// <param name="start">The time from which the configuration holds, ns.</param>
    public void Finish(TargetInfo target, long start)
    {
        if (_events.Count == 0 || (!target.Launched && _events[0].Time > start))
        {
            var weakest = target.MinThreads.Known == KnownValue.Look ? Known.Length - 1 : Math.Max(Strength(target.MinThreads), Strength(target.MaxThreads));
            Add(start, target.MinThreads.Value, target.MaxThreads.Value, (byte)weakest);
        }

        foreach (var (time, min, max) in _events)
        {
            Add(time, min, max, 0);
        }
    }

    private static int Strength(KnownValue value)
    {
        var index = Array.IndexOf(Known, value.Known);
        return index < 0 ? Array.IndexOf(Known, "unknown") : index;
    }

    private void Add(long time, int min, int max, byte known)
    {
        _time.Add(time);
        _min.Add(min);
        _max.Add(max);
        _known.Add(known);
    }
}
