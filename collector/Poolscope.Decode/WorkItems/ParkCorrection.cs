namespace Poolscope.Decode.WorkItems;

/// <summary>When a thread was on a core, in order of time, without overlap; none: unknown. Times are ns. An empty interval
/// marks the end of blocked time: a thread that was only without a core in between has none.</summary>
/// <param name="before">Those that begin before this time are asked for; there may be later ones.</param>
/// <param name="count">At least this many of them, the last ones; all, if there are fewer.</param>
/// <returns>Valid until the next call.</returns>
internal delegate ReadOnlySpan<(long Start, long End)> RunningIntervals(int tid, long before, int count);

/// <summary>Moves ends that come from a park event back to where the item ended. A worker that finds nothing spins
/// before it parks, and the event is fired after the spin. For the 140 turns of that spin 65 yield the core: where other
/// threads are runnable, each yield costs a round of all of them. With 88 threads on 2 cores the event came 1 s late in the
/// mean, and up to 3.4 s (measured, .NET 10).</summary>
internal static class ParkCorrection
{
    /// <summary>CPU time from an item's end to the park event where no yield gives the core away, ns. Measured with .NET 10
    /// on 2 cores: medians from 37,000 to 150,000 by process (the runtime measures what a spin costs again in each), single
    /// spins up to 340,000; beside other work medians up to 400,000. The rounds in which a worker finds no item say
    /// no better how long it spins after one (tried). So a corrected end is good to about 0.1 ms, on a busy machine to 0.4.</summary>
    public const long SpinNs = 90_000;

    /// <summary>CPU time from an item's end to the first yield, ns: 10 turns without one. Measured as above, medians of five
    /// recordings from 41,000 to 58,000.</summary>
    public const long FirstTurnsNs = 45_000;

    /// <summary>Yields in one spin: of the turns after the first 10, every other one.</summary>
    public const int Yields = 65;

    /// <summary>Time on a core between two yields, at most, ns: a turn takes some microseconds, and up to 0.1 ms in 95 of
    /// 100 spins (measured as above). What the scheduler lets a busy thread run is more.</summary>
    public const long LongestTurnNs = 150_000;

    /// <summary>The stretch in which the event itself is written may be longer, ns: up to 0.57 ms (measured as above).</summary>
    public const long LastTurnNs = 600_000;

    private const int RowsAtOnce = 4096;

    // A spin has two for each yield at most. If it does not end within these, more are asked for.
    private const int IntervalsAtOnce = 4 * Yields;

    /// <param name="suspended">Whether the runtime was suspended at a time.</param>
    /// <param name="acted">When a thread last did what only an item does, up to a time; -1: unknown.</param>
    /// <returns>Number of ends that were moved.</returns>
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

        items.SetEnd(row, end, EndKnown.Park);
        items.AddFlag(row, ItemFlags.EndCorrected);
        return true;
    }

    /// <summary>Goes back over the yields of one spin to where it began, but not before the thread was last woken.</summary>
    /// <param name="count">How many intervals were asked for: if there are as many, there may be earlier ones.</param>
    /// <returns>False: more intervals are needed.</returns>
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
                return false; // each is judged by the two before it
            }

            var (start, end) = (running[i].Start, Math.Min(running[i].End, parked));
            if (start == end)
            {
                // A worker that spins blocks for nothing but a suspension, so what else it was blocked in was the item. One
                // that waited for a task ends its item within less than a spin of its wake-up, and must not lose the wait.
                // So the end stays late where the thread was blocked as it wrote the event: SemaphoreSlim.Wait yields as
                // often as this spin before it blocks.
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

        return true; // the stream does not reach back far enough
    }

    /// <summary>Whether the thread was on a core for a turn of a spin at most before, and runnable ever since.</summary>
    private static bool IsAfterTurn(int i, ReadOnlySpan<(long Start, long End)> running) =>
        i > 0 && running[i - 1].End - running[i - 1].Start is > 0 and < LongestTurnNs;

    /// <summary>Index of the first interval that begins at or after a time.</summary>
    private static int FirstAfter(long time, ReadOnlySpan<(long Start, long End)> running)
    {
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
