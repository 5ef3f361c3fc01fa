namespace Poolscope.Decode.Stacks;

/// <summary>Stacks of the waits stream, matched with waits by thread, kind and time. The same event reaches the
/// stackless stream and this one with two clock readings, between which the stack is walked.</summary>
internal sealed class WaitStacks
{
    /// <summary>The largest difference between the two readings, ns. Between them the thread may wait for a core:
    /// several slices of a few ms on a busy machine, or periods of 100 ms if a quota throttles it.</summary>
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

    /// <summary>Assigns each stack to the nearest wait, unless that wait has a nearer stack. A stack walked after the
    /// wait had ended belongs to another wait, whose row was lost.</summary>
    /// <param name="waits">The waits of one thread and kind, in order of their starts. An unknown end is -1.</param>
    /// <returns>The stack of each wait; -1 if it has none.</returns>
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
