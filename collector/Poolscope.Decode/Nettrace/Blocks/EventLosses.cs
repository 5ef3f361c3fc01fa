using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>Events that a session dropped. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="Start">The time of the last event before the gap, of the thread that lost the events; -1 if
/// none.</param>
/// <param name="End">The time of the first event after the gap, or of the sequence point that revealed it.</param>
internal readonly record struct EventLoss(long Start, long End, long Count);

/// <summary>Finds when an EventPipe session dropped events. Each thread numbers its events, including dropped ones, and
/// sequence points report the count of each thread.</summary>
internal sealed class EventLosses
{
    private const int PointHeaderBytes = 12;
    private const int PointEntryBytes = 12;

    private readonly Dictionary<long, (uint Sequence, long Time)> _last = [];
    private readonly List<EventLoss> _gaps = [];
    private long _newest = -1;

    /// <summary>The number of events found missing so far.</summary>
    public long Count { get; private set; }

    /// <summary>Takes a block of events, in the order of the file.</summary>
    public void AddEvents(NettraceBlock block)
    {
        foreach (ref readonly var run in block.Index.Runs)
        {
            // An event's number is its thread's count including the event, and the numbers of a run have no gap.
            var last = block.Clock.Nanoseconds(run.LastTicks);
            Reached(run.Thread, run.Before, run.LastSequence, block.Clock.Nanoseconds(run.FirstTicks), last, block.Threads is not null);
            _newest = Math.Max(_newest, last);
        }
    }

    /// <summary>Takes a sequence point or a block that ends threads.</summary>
    public void AddPoint(NettraceBlock point)
    {
        if (point.Counted is { } counted)
        {
            foreach (var (row, sequence) in counted)
            {
                Reached(row, sequence, sequence, _newest, _newest, countsFromZero: true);
            }

            return;
        }

        var time = point.Clock.Nanoseconds(BinaryPrimitives.ReadInt64LittleEndian(point.Bytes));
        for (ReadOnlySpan<byte> entry = point.Bytes[PointHeaderBytes..]; !entry.IsEmpty; entry = entry[PointEntryBytes..])
        {
            var sequence = BinaryPrimitives.ReadUInt32LittleEndian(entry[sizeof(long)..]);
            Reached(BinaryPrimitives.ReadInt64LittleEndian(entry), sequence, sequence, time, time, countsFromZero: false);
        }
    }

    /// <returns>The gaps in order of time. Overlapping gaps of several threads are merged.</returns>
    public List<EventLoss> Merged() => Merged(_gaps);

    internal static List<EventLoss> Merged(IEnumerable<EventLoss> gaps)
    {
        var merged = new List<EventLoss>();
        foreach (var gap in gaps.OrderBy(g => g.Start))
        {
            if (merged is [.., var last] && gap.Start <= last.End)
            {
                merged[^1] = new EventLoss(last.Start, Math.Max(last.End, gap.End), last.Count + gap.Count);
            }
            else
            {
                merged.Add(gap);
            }
        }

        return merged;
    }

    /// <param name="expected">The count that the thread must have had before. If it exceeds the count seen, the session
    /// dropped the difference.</param>
    /// <param name="from">The time at which <paramref name="expected"/> shows.</param>
    /// <param name="sequence">The thread's count at <paramref name="to"/>.</param>
    /// <param name="countsFromZero">A new thread has counted nothing, and no other thread has its number. False in
    /// versions 4 and 5, which identify a thread by its id; its count starts with its first event.</param>
    private void Reached(long thread, uint expected, uint sequence, long from, long to, bool countsFromZero)
    {
        ref var last = ref CollectionsMarshal.GetValueRefOrAddDefault(_last, thread, out var isKnown);

        // A count that falls belongs to a new thread that reuses the id.
        if ((countsFromZero || (isKnown && last.Sequence != 0)) && unchecked((int)(expected - last.Sequence)) is > 0 and var count)
        {
            _gaps.Add(new EventLoss(isKnown ? last.Time : -1, from, count));
            Count += count;
        }

        last = (sequence, to);
    }
}
