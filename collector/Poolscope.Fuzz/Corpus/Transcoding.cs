using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Fuzz.Corpus;

/// <summary>The form in which a file is written in version 6.</summary>
internal sealed record TranscodingOptions
{
    /// <summary>Whether headers of events leave out the fields that did not change.</summary>
    public bool Compressed { get; init; } = true;

    /// <summary>Whether sequence points end the indices of threads.</summary>
    public bool ForgetsThreads { get; init; }

    /// <summary>Whether sequence points end the descriptions of events, which are then repeated with other
    /// numbers.</summary>
    public bool ForgetsKinds { get; init; }

    /// <summary>Whether the threads name their process, and the header does not.</summary>
    public bool TellsProcesses { get; init; }

    /// <summary>A process that does the same at the same time, with thread ids that are greater by 1000; null:
    /// none.</summary>
    public int? Double { get; init; }

    /// <summary>Whether events have the names that one-collect gives them, instead of those of the runtime.</summary>
    public bool HidesNames { get; init; }
}

/// <summary>Converts a .nettrace file of version 4 to one of version 6, with the same events, times, threads and
/// stacks.</summary>
internal sealed class Transcoding : IBlockTap
{
    private const int DoubleThreads = 1000;

    private readonly TranscodingOptions _options;
    private readonly NettraceV6Writer _writer = new();
    private readonly Dictionary<(long Tid, bool IsDouble), ulong> _threads = [];
    private readonly Dictionary<(Guid, Guid), uint> _labels = [];
    private readonly Dictionary<int, (string Provider, int Id, string Name, long Keywords)> _kinds = [];
    private HashSet<int> _described = [];
    private ulong _nextThread = 5;
    private int _generation;
    private int _process;

    private Transcoding(TranscodingOptions options) => _options = options;

    /// <param name="file">A sound file.</param>
    public static byte[] ToVersion6(byte[] file, TranscodingOptions? options = null)
    {
        var transcoding = new Transcoding(options ?? new TranscodingOptions());
        var end = NettraceFile.Read(new MemoryStream(file), new EventKinds(), static _ => { }, transcoding);
        if (end.Whole)
        {
            transcoding._writer.End();
        }

        return transcoding._writer.File;
    }

    public void OnHeader(int version, ReadOnlySpan<byte> bytes)
    {
        _process = BinaryPrimitives.ReadInt32LittleEndian(bytes[36..]);
        var processors = ("HardwareThreadCount", BinaryPrimitives.ReadInt32LittleEndian(bytes[40..]).ToString(System.Globalization.CultureInfo.InvariantCulture));
        if (_options.TellsProcesses)
        {
            _writer.Header(bytes, processors);
        }
        else
        {
            _writer.Header(bytes, processors, ("ProcessId", _process.ToString(System.Globalization.CultureInfo.InvariantCulture)));
        }
    }

    public void OnBlock(NettraceBlock block)
    {
        switch (block.Kind)
        {
            case BlockKind.Metadata:
                for (var cursor = block.Cursor; cursor.Next();)
                {
                    AddKind(cursor.Payload);
                }

                break;
            case BlockKind.Stacks:
                _writer.Block(5, block.Bytes);
                break;
            case BlockKind.SequencePoint:
                AddPoint(block.Bytes);
                break;
            default:
                AddEvents(block);
                break;
        }
    }

    private void AddKind(ReadOnlySpan<byte> payload)
    {
        Utf16.TryRead(payload, sizeof(int), out var provider, out var next);
        Utf16.TryRead(payload, next + sizeof(int), out var name, out var keywords);
        _kinds[BinaryPrimitives.ReadInt32LittleEndian(payload)] =
            (provider, BinaryPrimitives.ReadInt32LittleEndian(payload[next..]), name, BinaryPrimitives.ReadInt64LittleEndian(payload[keywords..]));
    }

    private void AddPoint(ReadOnlySpan<byte> point)
    {
        var counted = new List<(ulong, uint)>();
        var rows = new List<(ulong, int?, long?)>();
        for (var entry = point[12..]; !entry.IsEmpty; entry = entry[12..])
        {
            var (tid, number) = (BinaryPrimitives.ReadInt64LittleEndian(entry), BinaryPrimitives.ReadUInt32LittleEndian(entry[8..]));
            counted.Add((Thread(tid, isDouble: false, rows), number));
            if (_options.Double is not null)
            {
                counted.Add((Thread(tid, isDouble: true, rows), number));
            }
        }

        WriteThreads(rows);
        _writer.SequencePoint(BinaryPrimitives.ReadInt64LittleEndian(point), (_options.ForgetsThreads ? 1U : 0) | (_options.ForgetsKinds ? 2U : 0), counted);
        _labels.Clear();
        if (_options.ForgetsThreads)
        {
            _threads.Clear();
        }

        if (_options.ForgetsKinds)
        {
            _described = [];
            _generation++;
        }
    }

    private void AddEvents(NettraceBlock block)
    {
        var events = new List<EventV6>();
        var rows = new List<(ulong, int?, long?)>();
        var lists = new List<(Guid, Guid)>();
        var kinds = new List<byte[]>();
        var content = block.Events;
        var firstLabel = (uint)_labels.Count + 1;
        for (var cursor = block.Cursor; cursor.Next();)
        {
            var activities = (Activity(content, cursor.ActivityOffset), Activity(content, cursor.RelatedOffset));
            var labels = 0U;
            if (activities != default && !_labels.TryGetValue(activities, out labels))
            {
                _labels.Add(activities, labels = (uint)_labels.Count + 1);
                lists.Add(activities);
            }

            var e = new EventV6(
                Kind(cursor.MetadataId, kinds), Thread(cursor.ThreadId, false, rows), Thread(cursor.CaptureThreadId, false, rows), cursor.Sequence,
                cursor.Processor, cursor.StackId, cursor.Ticks, labels, cursor.IsSorted, cursor.Payload.ToArray());
            events.Add(e);
            if (_options.Double is not null)
            {
                events.Add(e with { Thread = Thread(cursor.ThreadId, true, rows), Capture = Thread(cursor.CaptureThreadId, true, rows) });
            }
        }

        if (kinds.Count > 0)
        {
            _writer.Metadata([.. kinds]);
        }

        WriteThreads(rows);
        if (lists.Count > 0)
        {
            _writer.Activities(firstLabel, lists);
        }

        if (events.Count > 0)
        {
            _writer.Events(events, _options.Compressed);
        }
    }

    /// <summary>Returns the current number of a kind, and describes the kind before its first event.</summary>
    private int Kind(int id, List<byte[]> rows)
    {
        var number = id + (_generation * 7);
        if (_described.Add(id))
        {
            var (provider, eventId, name, keywords) = _kinds[id];
            rows.Add(_options.HidesNames
                ? NettraceV6Writer.Description(number, provider, eventId, $"Unknown({eventId})", null, ("a", 12), ("b", 18))
                : NettraceV6Writer.Description(number, provider, eventId, name, keywords));
        }

        return number;
    }

    private ulong Thread(long tid, bool isDouble, List<(ulong, int?, long?)> rows)
    {
        if (!_threads.TryGetValue((tid, isDouble), out var index))
        {
            _threads.Add((tid, isDouble), index = _nextThread++);
            rows.Add((index, isDouble ? _options.Double : _options.TellsProcesses ? _process : null, isDouble ? tid + DoubleThreads : tid));
        }

        return index;
    }

    private void WriteThreads(List<(ulong, int?, long?)> rows)
    {
        if (rows.Count > 0)
        {
            _writer.Threads(rows);
        }
    }

    private static Guid Activity(ReadOnlySpan<byte> content, int offset) => offset < 0 ? default : new Guid(content.Slice(offset, 16));
}
