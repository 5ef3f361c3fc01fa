namespace Poolscope.Decode.WorkItems;

/// <summary>Returns when a thread was on a core, in order of time, without overlap; empty if unknown. Times are ns. An
/// empty interval marks the end of blocked time; a thread that only waited for a core in between has none.</summary>
/// <param name="before">The upper bound of the starts; the result may contain later intervals.</param>
/// <param name="count">The least number of intervals that begin before, the last ones; all if there are fewer.</param>
/// <returns>The intervals, valid until the next call.</returns>
internal delegate ReadOnlySpan<(long Start, long End)> RunningIntervals(int tid, long before, int count);

/// <summary>Moves ends that come from a park event back to the end of the item. A worker that finds no item spins
/// before it parks, and fires the event after the spin. Of the 140 turns of a spin 65 yield the core; if other threads
/// are runnable, each yield costs a round of all of them. With 88 threads on 2 cores the event was late by 1 s on
/// average and by up to 3.4 s (measured, .NET 10).</summary>
internal static class ParkCorrection
{
    /// <summary>CPU time from an item's end to the park event if no yield gives the core away, ns. Measured with .NET
    /// 10 on 2 cores: medians from 37,000 to 150,000 by process (each process measures the cost of a spin again),
    /// single spins up to 340,000; beside other work, medians up to 400,000. The spins after rounds without an item do
    /// not predict it better (tried). So a corrected end is accurate to about 0.1 ms, on a busy machine to 0.4
    /// ms.</summary>
    public const long SpinNs = 90_000;

    /// <summary>CPU time from an item's end to the first yield, ns: 10 turns without a yield. Measured as above,
    /// medians of five recordings from 41,000 to 58,000.</summary>
    public const long FirstTurnsNs = 45_000;

    /// <summary>Yields in one spin: every other turn after the first 10.</summary>
    public const int Yields = 65;

    /// <summary>The longest time on a core between two yields, ns. A turn takes some microseconds, and up to 0.1 ms in
    /// 95 of 100 spins (measured as above). The scheduler's time slice of a busy thread is longer.</summary>
    public const long LongestTurnNs = 150_000;

    /// <summary>The longest last turn, in which the event itself is written, ns: up to 0.57 ms (measured as
    /// above).</summary>
    public const long LastTurnNs = 600_000;

    private const int RowsAtOnce = 4096;

    // A spin has at most two intervals for each yield. If it does not end within this number, the search reads more.
    private const int IntervalsAtOnce = 4 * Yields;

    /// <param name="suspended">Returns whether the runtime was suspended at a time.</param>
    /// <param name="acted">Returns when a thread last did something that only an item does, up to a time; -1 if
    /// unknown.</param>
    /// <returns>The number of moved ends.</returns>
    public static int Apply(WorkItemTable items, RunningIntervals running, Func<long, bool> suspended, Func<int, long, long> acted)
    {
        var moved = 0;
        Span<byte> ended = stackalloc byte[RowsAtOnce];
        for (int first = 0, rows; (rows = items.CopyEnds(first, ended)) > 0; first += rows)
        {
            for (var row = 0; row < rows; row++)
            {
                if (ended[row] == (byte)EndKnown.Park && Correct(items, first + row, running, suspended, acted))
                {
                    moved++;
                }
            }
        }

        return moved;
    }

    private static bool Correct(WorkItemTable items, int row, RunningIntervals running, Func<long, bool> suspended, Func<int, long, long> acted)
    {
        var parked = items.End[row];
        var tid = items.WorkerTid[row];
        var least = Math.Max(items.Dequeue[row], Math.Max(items.LastActed(row), acted(tid, parked)));
        var count = IntervalsAtOnce;
        long found;
        while (!TryFindEnd(parked, items.Dequeue[row], running(tid, parked, count), count, suspended, out found))
        {
            count *= 2;
        }

        var end = Math.Max(least, found);
        if (end >= parked)
        {
            return false;
        }

        items.CorrectEnd(row, end);
        return true;
    }

    /// <summary>Goes back over the yields of one spin to its start, but not before the thread's last wake-up.</summary>
    /// <param name="count">The requested number of intervals. If <paramref name="running"/> has as many, there may be
    /// earlier ones.</param>
    /// <returns>False if more intervals are needed.</returns>
    private static bool TryFindEnd(
        long parked, long dequeue, ReadOnlySpan<(long Start, long End)> running, int count, Func<long, bool> suspended, out long found)
    {
        found = parked;
        var last = FirstAfter(parked, running) - 1;
        if (last < 0 || running[last].End < parked)
        {
            return true; // the thread wrote the event, so it was on a core: the scheduler stream does not cover this time
        }

        var (spun, yields) = (0L, 0);
        for (var i = last; i >= 0; i--)
        {
            if (i < 2 && last + 1 >= count)
            {
                return false; // the test of an interval needs the two before it
            }

            var (start, end) = (running[i].Start, Math.Min(running[i].End, parked));
            if (start == end)
            {
                // A spinning worker blocks only for a suspension, so any other blocked time belongs to the item. An
                // item that waited for a task ends within less than a spin after its wake-up, and must not lose the
                // wait. So the end stays late if the thread was blocked just before it wrote the event:
                // SemaphoreSlim.Wait yields as often as this spin before it blocks.
                if (i == 0 || !suspended(running[i - 1].End))
                {
                    found = end;
                    return true;
                }

                continue;
            }

            var isOneOfMany = yields >= 2 || (IsAfterTurn(i, running) && IsAfterTurn(i - 1, running));
            var isTurn = end - start < SpinNs - spun || (isOneOfMany && end - start < (i == last ? LastTurnNs : LongestTurnNs));
            if (start <= dequeue || yields == Yields || !isTurn)
            {
                found = Math.Max(start, end - Math.Max(FirstTurnsNs, SpinNs - spun));
                return true;
            }

            spun += end - start;
            yields += i > 0 && running[i - 1].Start < running[i - 1].End ? 1 : 0;
        }

        return true; // the stream begins too late
    }

    /// <summary>Returns whether the thread's previous time on a core was at most one turn of a spin, and the thread has
    /// been runnable since.</summary>
    private static bool IsAfterTurn(int i, ReadOnlySpan<(long Start, long End)> running) =>
        i > 0 && running[i - 1].End - running[i - 1].Start is > 0 and < LongestTurnNs;

    /// <summary>Returns the index of the first interval that begins at or after a time.</summary>
    private static int FirstAfter(long time, ReadOnlySpan<(long Start, long End)> running)
    {
        if (!running.IsEmpty && running[^1].Start < time)
        {
            return running.Length; // mostly
        }

        var (low, high) = (0, running.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (running[middle].Start < time)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }
}
