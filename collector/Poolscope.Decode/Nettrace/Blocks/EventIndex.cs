using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>The events of a block, decoded once for all readers: a header holds only the fields that differ from the
/// header before. Memory: 32 bytes an event, pooled.</summary>
internal sealed class EventIndex : IDisposable
{
    // Most events of a flood take some ten bytes.
    private const int LikelyBytesPerEvent = 10;
    private const int LeastEntries = 16;

    private EventEntry[] _entries;
    private readonly List<EventRun> _runs = [];

    private EventIndex(int likely) => _entries = ArrayPool<EventEntry>.Shared.Rent(Math.Max(likely, LeastEntries));

    public int Count { get; private set; }

    public ReadOnlySpan<EventEntry> Entries => _entries.AsSpan(0, Count);

    public ReadOnlySpan<EventRun> Runs => CollectionsMarshal.AsSpan(_runs);

    /// <summary>Whether the events of each run are in order of time.</summary>
    public bool IsInOrder { get; private set; } = true;

    /// <summary>Ticks of the oldest and the newest event; the largest and the smallest number if none.</summary>
    public (long Oldest, long Newest) Range { get; private set; } = (long.MaxValue, long.MinValue);

    /// <summary>Indexes the events of a block.</summary>
    /// <exception cref="NettraceDamage">An event reaches beyond the block, or its kind or thread was not
    /// described.</exception>
    public static EventIndex Of(NettraceBlock block, EventKinds kinds)
    {
        var index = new EventIndex(block.Events.Length / LikelyBytesPerEvent);
        try
        {
            if (block.Threads is { } threads)
            {
                index.Walk(block, threads, kinds);
            }
            else
            {
                index.Walk(block.Events, kinds);
            }

            return index;
        }
        catch
        {
            index.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        ArrayPool<EventEntry>.Shared.Return(_entries);
        _entries = [];
        Count = 0;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // a loop over many events, called rarely
    private void Walk(ReadOnlySpan<byte> events, EventKinds kinds)
    {
        var entries = _entries;
        var (count, oldest, newest, before) = (0, long.MaxValue, long.MinValue, 0L);
        var (run, isInOrder) = (default(EventRun), true);
        var cursor = new EventCursor(events);
        while (cursor.Next())
        {
            if (kinds.Find(cursor.MetadataId) is null)
            {
                throw new NettraceDamage("an event of a kind that was not described");
            }

            var ticks = cursor.Ticks;
            if (cursor.BeginsRun || count == 0)
            {
                Add(ref run, count, before);
                run = new EventRun(cursor.CaptureThreadId, cursor.IsSorted, count, cursor.Sequence - 1, ticks);
            }
            else
            {
                isInOrder &= ticks >= before;
            }

            run.LastSequence = cursor.Sequence;
            before = ticks;
            oldest = Math.Min(oldest, ticks);
            newest = Math.Max(newest, ticks);
            if (count == entries.Length)
            {
                entries = Grow();
            }

            entries[count++] = new EventEntry(
                ticks, (int)cursor.ThreadId, cursor.MetadataId, cursor.PayloadOffset, cursor.PayloadLength, cursor.ActivityOffset, cursor.RelatedOffset);
        }

        cursor.RequireWhole();
        Add(ref run, count, before);
        (Count, Range, IsInOrder) = (count, (oldest, newest), isInOrder);
    }

    /// <summary>Indexes a block of version 6: threads and labels are those that their indices denote now.</summary>
    private void Walk(NettraceBlock block, FileThreads threads, EventKinds kinds)
    {
        var (count, oldest, newest, before) = (0, long.MaxValue, long.MinValue, 0L);
        var (thread, threadId, capture, captureId) = (-1, 0L, -1, 0L);
        var (run, isInOrder) = (default(EventRun), true);
        var cursor = block.Cursor;
        while (cursor.Next())
        {
            if (kinds.Find(cursor.MetadataId) is null)
            {
                throw new NettraceDamage("an event of a kind that was not described");
            }

            if (thread < 0 || cursor.ThreadId != threadId)
            {
                (thread, threadId) = (threads.Find((ulong)cursor.ThreadId).Thread, cursor.ThreadId);
            }

            if (capture < 0 || cursor.CaptureThreadId != captureId)
            {
                (capture, captureId) = (threads.Find((ulong)cursor.CaptureThreadId).Row, cursor.CaptureThreadId);
            }

            var ticks = cursor.Ticks;
            if (cursor.BeginsRun || count == 0)
            {
                Add(ref run, count, before);
                run = new EventRun(capture, cursor.IsSorted, count, cursor.Sequence - 1, ticks);
            }
            else
            {
                isInOrder &= ticks >= before;
            }

            run.LastSequence = cursor.Sequence;
            (before, oldest, newest) = (ticks, Math.Min(oldest, ticks), Math.Max(newest, ticks));
            if (count == _entries.Length)
            {
                Grow();
            }

            var labels = block.Labels?.Find(cursor.LabelListId) ?? -1;
            _entries[count++] = new EventEntry(ticks, thread, cursor.MetadataId, cursor.PayloadOffset, cursor.PayloadLength, labels, labels);
        }

        cursor.RequireWhole();
        Add(ref run, count, before);
        (Count, Range, IsInOrder) = (count, (oldest, newest), isInOrder);
    }

    /// <summary>Ends a run; does nothing before the first event.</summary>
    private void Add(ref EventRun run, int end, long lastTicks)
    {
        if (end > 0)
        {
            (run.End, run.LastTicks) = (end, lastTicks);
            _runs.Add(run);
        }
    }

    private EventEntry[] Grow()
    {
        var greater = ArrayPool<EventEntry>.Shared.Rent(_entries.Length * 2);
        _entries.CopyTo(greater, 0);
        ArrayPool<EventEntry>.Shared.Return(_entries);
        return _entries = greater;
    }
}
