using System.Buffers.Binary;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace;

/// <summary>Reads a .nettrace file event by event, in order of time.</summary>
internal static class NettraceReader
{
    private const int ProgressStep = 1 << 20;

    /// <summary>Delivers every event of the file, or only counts them if <paramref name="handler"/> is null. If the
    /// file is cut or damaged, delivers the events before that point.</summary>
    /// <param name="bounds">The limits that the rest of the capture sets for the file's clock.</param>
    /// <exception cref="DecodeException">The file cannot be opened.</exception>
    public static NettraceSummary Read(
        string path, StreamBounds bounds, RawEventHandler? handler, IProgress<string>? progress = null, CancellationToken cancellation = default) =>
        Read(path, bounds, handler, items: null, counts: null, progress, cancellation);

    /// <param name="items">Receives enqueues and dequeues in place of <paramref name="handler"/>; null if the handler
    /// receives all events.</param>
    /// <param name="counts">Counts the delivered events by kind; null if not needed.</param>
    /// <inheritdoc cref="Read(string, StreamBounds, RawEventHandler?, IProgress{string}?, CancellationToken)"/>
    public static NettraceSummary Read(
        string path, StreamBounds bounds, RawEventHandler? handler, IItemEvents? items, EventCounts? counts, IProgress<string>? progress, CancellationToken cancellation)
    {
        var pass = new Pass(handler, items, counts, bounds.Threads, bounds.ProcessId, Path.GetFileName(path), progress, cancellation);
        var end = NettraceFile.Read(path, bounds, pass.Kinds, pass.OnBlock, cancellation);
        if (end.Whole)
        {
            pass.Finish();
        }

        return pass.Summary(end);
    }

    /// <summary>The state of one pass over a file.</summary>
    private sealed class Pass
    {
        private readonly RawEventHandler? _handler;
        private readonly IItemEvents? _items;
        private readonly EventCounts? _counts;
        private readonly ThreadIds? _threads;
        private readonly int _process;
        private readonly string _name;
        private readonly IProgress<string>? _progress;
        private readonly CancellationToken _cancellation;
        private readonly EventMerge _merge;
        private readonly EventLosses _losses = new();
        private long _events;
        private long _first = -1;
        private long _last = -1;

        public Pass(
            RawEventHandler? handler, IItemEvents? items, EventCounts? counts, ThreadIds? threads, int process, string name, IProgress<string>? progress, CancellationToken cancellation)
        {
            (_handler, _items, _counts, _threads, _process, _name, _progress, _cancellation) = (handler, items, counts, threads, process, name, progress, cancellation);
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
                if (block.Threads is null)
                {
                    _merge.Reached(BinaryPrimitives.ReadInt64LittleEndian(block.Bytes));
                }
                else
                {
                    _merge.Finish(); // the file may describe event kinds again after the point
                }
            }
            else if (block.Kind == BlockKind.ThreadsEnd)
            {
                _losses.AddPoint(block);
            }
        }

        /// <summary>Delivers the events after the last sequence point of a complete file.</summary>
        public void Finish() => _merge.Finish();

        public NettraceSummary Summary(NettraceEnd end) => new(_events, _first, _last, Cut: !end.Whole, Losses(), end.Damage);

        /// <summary>Returns the losses in order of time. one-collect reports the kernel's drops only at the end of its
        /// file, whenever they occurred, so the start of each is unknown.</summary>
        private List<EventLoss> Losses() =>
            Kinds.AreOfOneCollect ? EventLosses.Merged(_losses.Merged().Select(loss => loss with { Start = -1 })) : _losses.Merged();

        private void Deliver(NettraceBlock block, ReadOnlySpan<EventEntry> entries)
        {
            var clock = block.Clock;
            var events = block.Events;
            var (first, last, count) = (-1L, -1L, 0);
            foreach (ref readonly var entry in entries)
            {
                var (pid, thread) = block.Threads is { } threads ? threads.Of(entry.Thread) : new FileThread(StreamBounds.AnyProcess, entry.Thread);
                if (pid != _process && block.Threads is not null && _process != StreamBounds.AnyProcess)
                {
                    continue;
                }

                first = first < 0 ? entry.Ticks : first;
                (last, count) = (entry.Ticks, count + 1);
                if (_handler is null)
                {
                    continue;
                }

                var kind = Kinds.Find(entry.MetadataId)!;
                _counts?.Add(kind);
                if (kind.Item == ItemEvent.None || entry.Length < sizeof(long) || _items is not { TakesItems: true })
                {
                    var (activity, related) = block.ActivitiesOf(entry);
                    _handler(new RawEvent(
                        kind.ProviderId, kind.EventId, clock.Nanoseconds(entry.Ticks), thread, block.PointerSize, events.Slice(entry.Offset, entry.Length), _threads, activity, related)
                    {
                        ProcessId = pid,
                        Name = kind.Name,
                    });
                    continue;
                }

                var time = clock.Nanoseconds(entry.Ticks);
                var tid = _threads?.Of(thread, time) ?? thread;
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

            if (count > 0)
            {
                _first = _first < 0 ? clock.Nanoseconds(first) : _first;
                _last = clock.Nanoseconds(last);
            }

            var before = _events / ProgressStep;
            _events += count;
            if (_events / ProgressStep > before)
            {
                _progress?.Report($"{_name}: {_events / 1e6:0.0} million events");
                _cancellation.ThrowIfCancellationRequested();
            }
        }
    }
}
