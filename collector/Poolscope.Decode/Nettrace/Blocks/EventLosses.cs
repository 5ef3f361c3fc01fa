using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>Events that a session dropped. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="Start">Last event before the gap of the thread that lost them; -1: none.</param>
/// <param name="End">First event after it, or the sequence point that told of it.</param>
internal readonly record struct EventLoss(long Start, long End, long Count);

/// <summary>Finds out from when to when an EventPipe session dropped events: each thread numbers its events, those that
/// found no room too, and sequence points tell how far each thread had counted.</summary>
internal sealed class EventLosses
{
    private const int PointHeaderBytes = 12;
    private const int PointEntryBytes = 12;

    private readonly Dictionary<long, (uint Sequence, long Time)> _last = [];
    private readonly List<EventLoss> _gaps = [];
    private long _newest = -1;

    /// <summary>Events found missing so far.</summary>
    public long Count { get; private set; }

    /// <summary>Takes a block of events, in the order of the file.</summary>
    public void AddEvents(NettraceBlock block)
    {
        foreach (ref readonly var run in block.Index.Runs)
        {
            // An event has the number that it makes its thread's count, and the numbers of a run have no gap.
            var last = block.Clock.Nanoseconds(run.LastTicks);
            Reached(run.Thread, run.Before, run.LastSequence, block.Clock.Nanoseconds(run.FirstTicks), last, block.Threads is not null);
            _newest = Math.Max(_newest, last);
        }
    }

    /// <summary>Takes a sequence point, or the end of threads.</summary>
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

    /// <returns>Gaps in order of time; those of several threads that overlap are one.</returns>
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

    /// <param name="expected">What the thread must have counted to before; more than was seen: the difference was dropped.</param>
    /// <param name="from">When that shows.</param>
    /// <param name="sequence">What it has counted to since, at <paramref name="to"/>.</param>
    /// <param name="countsFromZero">A thread that is new has counted nothing, and no other thread has its number. Of versions 4 and 5
    /// a thread is known by its id, and from its first event on.</param>
    private void Reached(long thread, uint expected, uint sequence, long from, long to, bool countsFromZero)
    {
        ref var last = ref CollectionsMarshal.GetValueRefOrAddDefault(_last, thread, out var isKnown);

        // A count that falls is another thread's, whose predecessor had the same id.
        if ((countsFromZero || (isKnown && last.Sequence != 0)) && unchecked((int)(expected - last.Sequence)) is > 0 and var count)
        {
            _gaps.Add(new EventLoss(isKnown ? last.Time : -1, from, count));
            Count += count;
        }

        last = (sequence, to);
    }
}
