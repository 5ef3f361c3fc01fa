using System.Buffers.Binary;
using Poolscope.Decode.Errors;

namespace Poolscope.Decode.Nettrace;

/// <summary>Reads a .nettrace file event by event, in order of time.</summary>
internal static class NettraceReader
{
    private const int ProgressStep = 1 << 20;
    private const int GuidBytes = 16;

    /// <summary>Delivers every event of the file, or counts them where <paramref name="handler"/> is null. Of a file that is
    /// cut or damaged, what came before that.</summary>
    /// <param name="bounds">What the rest of the capture says about the file's clock.</param>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static NettraceSummary Read(
        string path, StreamBounds bounds, RawEventHandler? handler, IProgress<string>? progress = null, CancellationToken cancellation = default) =>
        Read(path, bounds, handler, items: null, progress, cancellation);

    /// <param name="items">Takes what it can of <paramref name="handler"/>'s events instead; null: nothing.</param>
    /// <inheritdoc cref="Read(string, StreamBounds, RawEventHandler?, IProgress{string}?, CancellationToken)"/>
    public static NettraceSummary Read(
        string path, StreamBounds bounds, RawEventHandler? handler, IItemEvents? items, IProgress<string>? progress, CancellationToken cancellation)
    {
        var pass = new Pass(handler, items, bounds.Threads, Path.GetFileName(path), progress, cancellation);
        var end = NettraceFile.Read(path, bounds, pass.Kinds, pass.OnBlock, cancellation);
        if (end.Whole)
        {
            pass.Finish();
        }

        return pass.Summary(end);
    }

    /// <summary>State of one reading of a file.</summary>
    private sealed class Pass
    {
        private readonly RawEventHandler? _handler;
        private readonly IItemEvents? _items;
        private readonly ThreadIds? _threads;
        private readonly string _name;
        private readonly IProgress<string>? _progress;
        private readonly CancellationToken _cancellation;
        private readonly EventMerge _merge;
        private readonly EventLosses _losses = new();
        private long _events;
        private long _first = -1;
        private long _last = -1;

        public Pass(RawEventHandler? handler, IItemEvents? items, ThreadIds? threads, string name, IProgress<string>? progress, CancellationToken cancellation)
        {
            (_handler, _items, _threads, _name, _progress, _cancellation) = (handler, items, threads, name, progress, cancellation);
            _merge = new EventMerge(Deliver);
        }

        public EventKinds Kinds { get; } = new();

        public void OnBlock(NettraceBlock block)
        {
            if (block.Kind == BlockKind.Events)
            {
                _losses.AddEvents(block);
                _merge.Add(block);
            }
            else if (block.Kind == BlockKind.SequencePoint)
            {
                _losses.AddPoint(block);
                _merge.Reached(BinaryPrimitives.ReadInt64LittleEndian(block.Bytes));
            }
        }

        /// <summary>Delivers what a whole file left behind its last sequence point.</summary>
        public void Finish() => _merge.Finish();

        public NettraceSummary Summary(NettraceEnd end) => new(_events, _first, _last, Cut: !end.Whole, _losses.Merged(), end.Damage);

        private void Deliver(NettraceBlock block, ReadOnlySpan<EventEntry> entries)
        {
            var (clock, pointerSize) = (block.Clock, block.PointerSize);
            var events = block.Events;
            _first = _first < 0 ? clock.Nanoseconds(entries[0].Ticks) : _first;
            _last = clock.Nanoseconds(entries[^1].Ticks);
            if (_handler is not null)
            {
                foreach (ref readonly var entry in entries)
                {
                    var kind = Kinds.Find(entry.MetadataId)!;
                    if (kind.Item == ItemEvent.None || entry.Length < sizeof(long) || _items is not { TakesItems: true })
                    {
                        _handler(Event(kind, entry, events, clock, pointerSize));
                        continue;
                    }

                    var time = clock.Nanoseconds(entry.Ticks);
                    var tid = _threads?.Of(entry.Tid, time) ?? entry.Tid;
                    var workId = BinaryPrimitives.ReadInt64LittleEndian(events[entry.Offset..]);
                    if (kind.Item == ItemEvent.Enqueue)
                    {
                        _items.Enqueue(time, tid, workId);
                    }
                    else
                    {
                        _items.Dequeue(time, tid, workId);
                    }
                }
            }

            var before = _events / ProgressStep;
            _events += entries.Length;
            if (_events / ProgressStep > before)
            {
                _progress?.Report($"{_name}: {_events / 1e6:0.0} million events");
                _cancellation.ThrowIfCancellationRequested();
            }
        }

        private RawEvent Event(EventKind kind, in EventEntry entry, ReadOnlySpan<byte> events, TickClock clock, int pointerSize)
        {
            var (activity, related) = (entry.ActivityOffset, entry.RelatedOffset);
            return new RawEvent(
                kind.ProviderId,
                kind.EventId,
                clock.Nanoseconds(entry.Ticks),
                entry.Tid,
                pointerSize,
                events.Slice(entry.Offset, entry.Length),
                _threads,
                activity < 0 ? default : Activity(events, activity),
                related < 0 ? default : Activity(events, related));
        }

        private static Guid Activity(ReadOnlySpan<byte> events, int offset) => new(events.Slice(offset, GuidBytes));
    }
}
