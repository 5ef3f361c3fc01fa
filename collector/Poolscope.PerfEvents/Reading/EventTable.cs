using System.Buffers.Binary;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Finds an event by the id in its records.</summary>
internal sealed class EventTable
{
    // The kernel numbers events one after another, so a recording's ids are close together and an array is enough: a
    // dozen per CPU. One id that a damaged description puts far from the others must not cost megabytes.
    private const int WidestArray = 1 << 16;

    private readonly ulong _firstId;
    private readonly EventLayout?[] _byId = [];
    private readonly Dictionary<ulong, EventLayout>? _scattered;

    /// <summary>True if socket events were recorded, whether any came or not.</summary>
    internal bool HasSockets { get; }

    /// <summary>The offset of the event's id in samples, bytes from the record's start.</summary>
    private readonly int _id = sizeof(ulong);

    /// <summary>The offset of the event's id in other records, bytes from the record's end.</summary>
    private readonly int _idFromEnd = sizeof(ulong);

    /// <summary>The layout of the records that `perf record` itself made, which have no id; null: Poolscope made the
    /// recording, and every record has an id.</summary>
    private readonly EventLayout? _withoutId;

    /// <param name="byAnyTool">True if another tool may have recorded it.</param>
    /// <exception cref="InvalidDataException">The records cannot be distinguished.</exception>
    internal EventTable(IReadOnlyList<RecordedEvent> events, bool byAnyTool = false)
    {
        var layouts = events.Select(recorded => EventLayout.Of(recorded, byAnyTool)).ToList();
        if (byAnyTool && layouts.Count > 0)
        {
            _withoutId = layouts[0];
            (_id, _idFromEnd) = (layouts[0].Id, layouts[0].IdFromEnd);
            if (layouts.Any(layout => layout.Id != _id || layout.IdFromEnd != _idFromEnd) || (_id < 0 && layouts.Count > 1))
            {
                throw new InvalidDataException("Its events cannot be distinguished: the records have no id, or not all at the same place.");
            }
        }

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

    /// <summary>Returns the event of a sample, or null if it is unknown or the record is too short.</summary>
    internal EventLayout? OfSample(ReadOnlySpan<byte> record) =>
        _id < 0 ? _withoutId
        : record.Length < _id + sizeof(ulong) ? null
        : Find(BinaryPrimitives.ReadUInt64LittleEndian(record[_id..]));

    /// <summary>Returns the event of a record other than a sample, or null if it is unknown or the record is too
    /// short.</summary>
    internal EventLayout? OfOther(ReadOnlySpan<byte> record)
    {
        if (_idFromEnd < 0)
        {
            return _withoutId;
        }

        if (record.Length < sizeof(ulong) + _idFromEnd)
        {
            return null;
        }

        var id = BinaryPrimitives.ReadUInt64LittleEndian(record[^_idFromEnd..]);
        return id == 0 && _withoutId is not null ? _withoutId : Find(id);
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
