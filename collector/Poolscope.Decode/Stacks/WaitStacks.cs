namespace Poolscope.Decode.Stacks;

/// <summary>Stacks of the waits stream, found again by thread, kind and time: the same event reaches the stackless stream and
/// this one with two readings of the clock, and walking the stack lies between them.</summary>
internal sealed class WaitStacks
{
    /// <summary>Walking a deep stack takes tens of microseconds, a preemption in between a scheduler's slice.</summary>
    private const long Tolerance = 1_000_000;

    private readonly Dictionary<(int Tid, bool Contention), List<(long Time, int Stack)>> _starts = [];
    private bool _sorted;

    public void Add(int tid, bool contention, long time, int stack)
    {
        if (!_starts.TryGetValue((tid, contention), out var list))
        {
            _starts.Add((tid, contention), list = []);
        }

        list.Add((time, stack));
        _sorted = false;
    }

    /// <returns>-1: none within a millisecond.</returns>
    public int Nearest(int tid, bool contention, long time)
    {
        if (!_sorted)
        {
            foreach (var list in _starts.Values)
            {
                list.Sort();
            }

            _sorted = true;
        }

        if (!_starts.TryGetValue((tid, contention), out var starts))
        {
            return -1;
        }

        var at = starts.BinarySearch((time, int.MinValue));
        at = at < 0 ? ~at : at;
        var (best, distance) = (-1, Tolerance + 1);
        for (var i = Math.Max(at - 1, 0); i <= at && i < starts.Count; i++)
        {
            var off = Math.Abs(starts[i].Time - time);
            (best, distance) = off < distance ? (starts[i].Stack, off) : (best, distance);
        }

        return best;
    }
}
