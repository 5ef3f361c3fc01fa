using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Etw.Reading;
using Poolscope.Tables;

namespace Poolscope.Decode.Captures;

/// <summary>The tables `streams` and `losses`: the recorded events, and the missing ones.</summary>
internal sealed class StreamTables
{
    private const byte EventpipeLost = 0;
    private const byte FileCut = 2;
    private const byte EtwLost = 4;
    private const byte Damaged = 5;

    private readonly StringColumn _file;
    private readonly StringColumn _tier;
    private readonly Column<long> _start;
    private readonly Column<long> _end;
    private readonly Column<long> _events;
    private readonly Column<long> _bytes;
    private readonly Column<long> _lost;
    private readonly Column<byte> _cut;
    private readonly StringColumn _lossStream;
    private readonly Column<long> _lossStart;
    private readonly Column<long> _lossEnd;
    private readonly Column<long> _lossCount;
    private readonly Column<byte> _lossWhat;

    public StreamTables()
    {
        _file = Streams.String("file");
        _tier = Streams.String("tier");
        _start = Streams.Int64("start");
        _end = Streams.Int64("end");
        _events = Streams.Int64("events");
        _bytes = Streams.Int64("bytes");
        _lost = Streams.Int64("lost");
        _cut = Streams.Enum("cut");
        _lossStream = Losses.String("stream");
        _lossStart = Losses.Int64("start");
        _lossEnd = Losses.Int64("end");
        _lossCount = Losses.Int64("count");
        _lossWhat = Losses.Enum("what");
    }

    public Table Streams { get; } = Table.Create("streams");

    public Table Losses { get; } = Table.Create("losses");

    public void Add(StreamCoverage stream)
    {
        _file.Add(stream.File);
        _tier.Add(stream.Tier);
        _start.Add(stream.StartNs);
        _end.Add(stream.EndNs);
        _events.Add(stream.Events);
        _bytes.Add(stream.Bytes);
        _lost.Add(stream.Lost);
        _cut.Add(stream.Cut ? (byte)1 : (byte)0);
    }

    /// <summary>Adds events that never reached the stream.</summary>
    public void AddEventpipeLosses(string stream, IEnumerable<EventLoss> losses)
    {
        foreach (var loss in losses)
        {
            AddLoss(stream, loss.Start, loss.End, loss.Count, EventpipeLost);
        }
    }

    /// <summary>Adds events that an ETW session could not write. The trace reports only their number.</summary>
    public void AddEtwLoss(StreamCoverage stream) => AddLoss(stream.File, stream.StartNs, stream.EndNs, stream.Lost, EtwLost);

    /// <summary>Adds events that an ETW session could not write, if the trace reports their times.</summary>
    public void AddEtwLosses(StreamCoverage stream, IEnumerable<TraceLoss> losses)
    {
        foreach (var (after, before, count) in losses)
        {
            var start = after < 0 ? stream.StartNs : after;
            AddLoss(stream.File, start, before < 0 ? Math.Max(start, stream.EndNs) : before, count, EtwLost);
        }
    }

    /// <summary>Records that the rest of a file, or all of it, is missing.</summary>
    /// <param name="start">The last recorded moment, ns; -1 if unknown.</param>
    /// <param name="end">When the collector ended the stream, ns; -1 if unknown.</param>
    public void AddCut(string file, long start, long end) => AddLoss(file, start, end, -1, FileCut);

    /// <summary>Records that a file contradicts itself or its capture, and was not read any further.</summary>
    /// <param name="start">The last recorded moment, ns; -1 if unknown.</param>
    /// <param name="end">When the collector ended the stream, ns; -1 if unknown.</param>
    public void AddDamage(string file, long start, long end) => AddLoss(file, start, end, -1, Damaged);

    private void AddLoss(string stream, long start, long end, long count, byte what)
    {
        _lossStream.Add(stream);
        _lossStart.Add(start);
        _lossEnd.Add(end);
        _lossCount.Add(count);
        _lossWhat.Add(what);
    }
}
