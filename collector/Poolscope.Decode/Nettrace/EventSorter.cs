using System.Buffers;

namespace Poolscope.Decode.Nettrace;

/// <summary>Holds events back and gives them out sorted by time, for streams that TraceEvent did not deliver in order.
/// What the runtime flushes is in order, and TraceEvent merges each flush by time, so none was ever seen out of place
/// here; but the format does not promise it. Decoding therefore streams, and comes here only when an event was out of
/// place, because this costs memory for the whole file.</summary>
internal sealed class EventSorter
{
    private readonly List<Entry> _entries = [];
    private readonly ArrayBufferWriter<byte> _payloads = new();
    private int _pointerSize = 8;

    public void Add(in RawEvent e)
    {
        _pointerSize = e.Offset(0, 1);
        _entries.Add(new Entry(e.Time, _entries.Count, e.Provider, e.Id, e.Tid, _payloads.WrittenCount, e.Payload.Length));
        _payloads.Write(e.Payload);
    }

    /// <summary>Delivers all events by time; events of one time keep their order.</summary>
    public void Replay(RawEventHandler handler)
    {
        _entries.Sort();
        foreach (var e in _entries)
        {
            handler(new RawEvent(
                e.Provider, e.Id, e.Time, e.Tid, _pointerSize, _payloads.WrittenSpan.Slice(e.Offset, e.Length)));
        }
    }

    private readonly record struct Entry(
        long Time, int Order, Guid Provider, int Id, int Tid, int Offset, int Length) : IComparable<Entry>
    {
        public int CompareTo(Entry other)
        {
            var byTime = Time.CompareTo(other.Time);
            return byTime != 0 ? byTime : Order.CompareTo(other.Order);
        }
    }
}
