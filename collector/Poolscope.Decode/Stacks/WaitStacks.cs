namespace Poolscope.Decode.Stacks;

/// <summary>Stacks of the waits stream, found again by thread, kind and time: the same event reaches the stackless stream and
/// this one with two readings of the clock, and walking the stack lies between them.</summary>
internal sealed class WaitStacks
{
    /// <summary>Between the two readings the thread may have to wait for a core: some slices of a few ms on a busy machine, and
    /// where a quota throttles it, periods of 100 ms.</summary>
    private const long Tolerance = 1_000_000_000;

    private readonly Dictionary<(int Tid, bool Contention), List<(long Time, int Stack)>> _starts = [];

    public void Add(int tid, bool contention, long time, int stack)
    {
        if (!_starts.TryGetValue((tid, contention), out var list))
        {
            _starts.Add((tid, contention), list = []);
        }

        list.Add((time, stack));
    }

    /// <summary>Each stack belongs to one wait at most: to the nearest one, if that has none nearer. A stack that was walked
    /// after a wait had ended is another wait's, whose row was lost.</summary>
    /// <param name="waits">Those of one thread and kind, in order of their starts. Ends are -1 where unknown.</param>
    /// <returns>The stack of each wait; -1: none.</returns>
    public int[] Match(int tid, bool contention, IReadOnlyList<(long Start, long End)> waits)
    {
        var result = new int[waits.Count];
        Array.Fill(result, -1);
        if (!_starts.TryGetValue((tid, contention), out var starts))
        {
            return result;
        }

        starts.Sort();
        var distance = new long[waits.Count];
        Array.Fill(distance, Tolerance + 1);
        var at = 0;
        foreach (var (time, stack) in starts)
        {
            for (; at + 1 < waits.Count && Math.Abs(waits[at + 1].Start - time) <= Math.Abs(waits[at].Start - time); at++)
            {
            }

            var off = Math.Abs(waits[at].Start - time);
            if (off < distance[at] && (waits[at].End < 0 || time <= waits[at].End))
            {
                (result[at], distance[at]) = (stack, off);
            }
        }

        return result;
    }
}
