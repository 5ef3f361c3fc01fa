using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Finds an event by the id in its records.</summary>
internal sealed class EventTable
{
    // The kernel numbers events one after another, so a recording's ids lie close together and an array will do: a dozen for
    // each CPU. One id that a damaged description puts far from the others must not cost megabytes.
    private const int WidestArray = 1 << 16;

    private readonly ulong _firstId;
    private readonly EventLayout?[] _byId = [];
    private readonly Dictionary<ulong, EventLayout>? _scattered;

    /// <summary>Events of sockets were recorded, whether any came or not.</summary>
    internal bool HasSockets { get; }

    internal EventTable(IReadOnlyList<RecordedEvent> events)
    {
        var layouts = events.Select(EventLayout.Of).ToList();
        HasSockets = layouts.Any(layout => layout.Socket is not null);
        var pairs = events.Zip(layouts).SelectMany(p => p.First.Ids.Select(id => (Id: id, Layout: p.Second))).ToList();
        if (pairs.Count == 0)
        {
            throw new InvalidDataException("The perf.data file lists no events.");
        }

        _firstId = pairs.Min(p => p.Id);
        var range = pairs.Max(p => p.Id) - _firstId;
        if (range < WidestArray)
        {
            _byId = new EventLayout?[range + 1];
            pairs.ForEach(p => _byId[p.Id - _firstId] = p.Layout);
        }
        else
        {
            _scattered = pairs.DistinctBy(p => p.Id).ToDictionary(p => p.Id, p => p.Layout);
        }
    }

    internal EventLayout? Find(ulong id)
    {
        if (_scattered is not null)
        {
            return _scattered.GetValueOrDefault(id);
        }

        var index = id - _firstId; // wraps for smaller ids
        return index < (ulong)_byId.Length ? _byId[index] : null;
    }
}
