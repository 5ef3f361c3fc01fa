using System.Buffers.Binary;
using System.Diagnostics;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Segments;

/// <summary>Writes the blocks of an EventPipe session into segments. Any consecutive segments form the stream of a
/// session. A reader's thread delivers the blocks (<see cref="NettraceTapeReader"/>, or a follower); another thread
/// requests cuts.</summary>
/// <remarks>About ten times a second the runtime writes the events that its threads have buffered, up to a moment that
/// is the same for all threads. The tape cuts the stream between two such flushes: before a block whose first event is
/// marked as sorted and is no older than any earlier event. No later event is older then. So every event is in exactly
/// one segment, and a segment covers the same time for all threads.</remarks>
public sealed class NettraceTape : IDisposable, IBlockTap
{
    private const int PointHeaderBytes = 12;
    private const int PointEntryBytes = 12;

    private readonly Lock _lock = new();
    private readonly List<(BlockKind Kind, byte[] Bytes)> _pending = [];
    private readonly Dictionary<long, uint> _counted = [];
    private readonly EventLosses _losses = new();
    private List<byte[]> _metadata = [];
    private List<byte[]> _stacks = [];
    private (int Version, byte[] Bytes) _header;
    private TickClock _clock;
    private FileStream? _file;
    private SegmentState? _state;
    private Cut? _cut;
    private long _newest;
    private long _sorted;
    private long _written;
    private long _bytes;
    private long _lostBefore;

    /// <param name="path">Path of the first segment, which is created when the stream's header arrives.</param>
    public NettraceTape(string path) => _cut = new Cut(path);

    /// <summary>Bytes received, whether written or not.</summary>
    public long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Why the segment could not be written; null if it could. The next segment starts without a
    /// failure.</summary>
    public string? WriteFailure { get; private set; }

    /// <summary>Requests a cut at the next possible moment. Cancels the previous request if it is still
    /// pending.</summary>
    /// <param name="path">Path of the segment that begins at the cut.</param>
    /// <returns>The segment that ends at the cut; null if it could not be written. The task is cancelled if the stream
    /// ends first; then <see cref="End"/> returns the last segment.</returns>
    public Task<NettraceSegment?> CutAsync(string path)
    {
        lock (_lock)
        {
            _cut?.Ended.TrySetCanceled();
            _cut = new Cut(path) { BytesThen = _bytes };
            return _cut.Ended.Task;
        }
    }

    /// <summary>Cuts now if no block arrived since the cut was requested. Then all earlier events of the process have
    /// arrived.</summary>
    /// <param name="after">The minimum age of the request; several flushes.</param>
    public void CutIfQuiet(TimeSpan after)
    {
        lock (_lock)
        {
            if (_cut is { } cut && _state is not null && cut.BytesThen == _bytes && Stopwatch.GetElapsedTime(cut.Asked) >= after)
            {
                // Later events may still be older than the newest one if the process was stopped in the middle of a
                // flush.
                Begin(cut, _sorted, _newest);
            }
        }
    }

    /// <summary>Ends the current segment. Call after the stream has ended.</summary>
    /// <returns>The segment; null if there is none or it could not be written.</returns>
    public NettraceSegment? End()
    {
        lock (_lock)
        {
            FlushPending();
            _cut?.Ended.TrySetCanceled();
            _cut = null;
            return Close(_newest);
        }
    }

    public void Dispose() => End();

    void IBlockTap.OnHeader(int version, ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            _header = (version, bytes.ToArray());
            var header = NettraceHeader.Read(version, bytes, StreamBounds.None);
            _clock = header.Clock;
            _newest = _sorted = BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]);

            // Begin now, because the first event may take long to arrive.
            if (_cut is { } first)
            {
                Begin(first, _newest, _newest);
            }
        }
    }

    void IBlockTap.OnBlock(NettraceBlock block)
    {
        lock (_lock)
        {
            Interlocked.Add(ref _bytes, block.Bytes.Length);
            switch (block.Kind)
            {
                case BlockKind.Events:
                    OnEvents(block);
                    break;
                case BlockKind.SequencePoint:
                    OnPoint(block);
                    break;
                default:
                    // The block belongs to the events that follow.
                    _pending.Add((block.Kind, block.Bytes.ToArray()));
                    break;
            }
        }
    }

    private void OnEvents(NettraceBlock block)
    {
        var runs = block.Index.Runs;
        if (_cut is { } cut && runs.Length > 0 && runs[0].IsSorted && runs[0].FirstTicks >= _newest)
        {
            Begin(cut, _newest, runs[0].FirstTicks);
        }

        FlushPending();
        Write(block.Kind, block.Bytes);
        _losses.AddEvents(block);
        foreach (ref readonly var run in runs)
        {
            _counted[run.Thread] = run.LastSequence;
            _newest = Math.Max(_newest, run.LastTicks);
            _sorted = run.IsSorted ? run.FirstTicks : _sorted;
        }
    }

    /// <summary>Handles a sequence point: all earlier events are complete, and stack ids start again.</summary>
    private void OnPoint(NettraceBlock block)
    {
        FlushPending();
        Write(block.Kind, block.Bytes);
        _losses.AddPoint(block);
        _stacks = [];
        _counted.Clear(); // threads missing from the sequence point have ended
        for (ReadOnlySpan<byte> entry = block.Bytes[PointHeaderBytes..]; !entry.IsEmpty; entry = entry[PointEntryBytes..])
        {
            _counted[BinaryPrimitives.ReadInt64LittleEndian(entry)] = BinaryPrimitives.ReadUInt32LittleEndian(entry[sizeof(long)..]);
        }
    }

    private void FlushPending()
    {
        foreach (var (kind, bytes) in _pending)
        {
            Write(kind, bytes);
            (kind == BlockKind.Metadata ? _metadata : _stacks).Add(bytes);
        }

        _pending.Clear();
    }

    private void Begin(Cut cut, long startTicks, long endTicks)
    {
        _cut = null;
        var ended = Close(endTicks);
        _state = new SegmentState(_header.Version, _header.Bytes, startTicks, [.. _metadata], [.. _stacks], [.. _counted]);
        (_written, _lostBefore, WriteFailure) = (0, _losses.Count, null);
        try
        {
            _file = SegmentFile.Create(cut.Path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            WriteFailure = e.Message;
        }

        cut.Ended.TrySetResult(ended);
    }

    private NettraceSegment? Close(long endTicks)
    {
        if (_file is not { } file || _state is not { } state)
        {
            return null;
        }

        _file = null;
        try
        {
            file.Dispose();
        }
        catch (IOException e)
        {
            WriteFailure ??= e.Message;
        }

        return WriteFailure is not null ? null : new NettraceSegment(file.Name, state)
        {
            Bytes = _written,
            StartNs = _clock.Nanoseconds(state.StartTicks),
            EndNs = _clock.Nanoseconds(endTicks),
            Lost = _losses.Count - _lostBefore,
        };
    }

    private void Write(BlockKind kind, ReadOnlySpan<byte> bytes)
    {
        if (_file is null || WriteFailure is not null)
        {
            return;
        }

        try
        {
            SegmentFile.Write(_file, kind, bytes);
            _written += bytes.Length;
        }
        catch (IOException e)
        {
            WriteFailure = e.Message;
        }
    }

    private sealed class Cut(string path)
    {
        public string Path => path;

        public long Asked { get; } = Stopwatch.GetTimestamp();

        public long BytesThen { get; init; }

        public TaskCompletionSource<NettraceSegment?> Ended { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
