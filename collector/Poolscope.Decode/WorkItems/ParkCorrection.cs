namespace Poolscope.Decode.WorkItems;

/// <summary>When a thread was on a core, in order of time, without overlap; none: unknown. Times are ns. An empty interval
/// marks the end of blocked time: a thread that was only without a core in between has none.</summary>
internal delegate ReadOnlySpan<(long Start, long End)> RunningIntervals(int tid);

/// <summary>Moves ends that are known from a park event back to where the item ended. A worker that finds nothing spins
/// before it parks, and the event is fired after the spin; on a machine with full cores the spin takes long, because the
/// worker must get a core for it.</summary>
internal static class ParkCorrection
{
    /// <summary>CPU time from an item's end to the park event, ns: 140 spins of the pool's semaphore. Measured with .NET 10
    /// on 2 cores: medians from 50,000 to 150,000 by process (the runtime measures what a spin costs anew in each), single
    /// spins from 49,000 to 340,000; beside other work medians up to 400,000. The rounds in which a worker finds no item say
    /// no better how long it spins after one (tried). So a corrected end is good to about 0.1 ms, on a busy machine to 0.4.</summary>
    public const long SpinNs = 90_000;

    /// <returns>Number of ends that were moved.</returns>
    public static int Apply(WorkItemTable items, RunningIntervals running)
    {
        var moved = 0;
        for (var row = 0; row < items.Count; row++)
        {
            if (items.HowEnded(row) != EndKnown.Park)
            {
                continue;
            }

            var parked = items.End[row];
            var end = Math.Max(items.Dequeue[row], EndBefore(parked, running(items.WorkerTid[row])));
            if (end < parked)
            {
                items.SetEnd(row, end, EndKnown.Park);
                items.AddFlag(row, ItemFlags.EndCorrected);
                moved++;
            }
        }

        return moved;
    }

    /// <summary>The moment from which the thread was on a core for <see cref="SpinNs"/> until it parked, but not before it
    /// was last woken.</summary>
    private static long EndBefore(long parked, ReadOnlySpan<(long Start, long End)> running)
    {
        var left = SpinNs;
        var last = FirstAfter(parked, running) - 1;
        if (last < 0 || running[last].End < parked)
        {
            return parked; // the thread wrote the event, so it was on a core: the scheduler stream does not cover this time
        }

        for (var i = last; i >= 0; i--)
        {
            if (running[i].Start == running[i].End)
            {
                // A worker that spins never blocks, so what it was blocked in was the item. One that waited for a task ends
                // its item within less than a spin of its wake-up, and must not lose the whole wait.
                return running[i].End;
            }

            var end = Math.Min(running[i].End, parked);
            if (end - running[i].Start >= left)
            {
                return end - left;
            }

            left -= end - running[i].Start;
        }

        return parked; // the stream does not reach back far enough
    }

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
