using System.Runtime.InteropServices;

namespace Poolscope.Decode.Scheduler;

/// <summary>When the threads of one id were on a CPU, around the time that was asked for last: who asks goes through a capture
/// nearly in order, and all intervals of a busy worker are millions.</summary>
/// <param name="lives">Threads that had the id, one after the other.</param>
/// <param name="from">Intervals are cut to this time and the next, ns.</param>
internal sealed class RunningStretch(IReadOnlyList<ThreadHistory> lives, long from, long to)
{
    // Changes of state that are unpacked beyond those asked for, before the time and after it.
    private const int Behind = 2048;
    private const int Ahead = 4096;

    private readonly List<(long Start, long End)> _held = [];
    private bool _fromFirst;
    private long _until = long.MinValue; // what begins before this is held

    /// <summary>At least this many of the intervals that begin before a time, the last of them; all, if there are fewer.</summary>
    internal ReadOnlySpan<(long Start, long End)> Before(long time, int count)
    {
        if (time <= _until)
        {
            var known = Held(time);
            if (known.Length >= count || _fromFirst)
            {
                return known;
            }
        }

        Hold(time, count);
        return Held(time);
    }

    private ReadOnlySpan<(long Start, long End)> Held(long time)
    {
        var held = CollectionsMarshal.AsSpan(_held);
        var (low, high) = (0, held.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            (low, high) = held[middle].Start < time ? (middle + 1, high) : (low, middle);
        }

        return held[..low];
    }

    private void Hold(long time, int count)
    {
        // An interval has two changes at most: of every two that follow each other one is none of readiness.
        var at = lives.Sum(life => (long)life.ChangesBefore(time));
        var skipped = Math.Max(0, at - (2L * count) - Behind);
        _fromFirst = skipped == 0;
        _until = TimeOf(at + Ahead);
        _held.Clear();
        foreach (var life in lives)
        {
            var first = (int)Math.Min(skipped, life.Changes);
            skipped -= first;
            var intervals = new StateIntervals(life, from, to, first);
            while (intervals.Next() && intervals.Start < _until)
            {
                if (intervals.State != ThreadState.Ready)
                {
                    _held.Add((intervals.State == ThreadState.Running ? intervals.Start : intervals.End, intervals.End));
                }
            }
        }
    }

    /// <summary>Of a change, counted through all lives; the end of time: there is none.</summary>
    private long TimeOf(long change)
    {
        foreach (var life in lives)
        {
            if (change < life.Changes)
            {
                return ThreadHistory.TimeOf(life.ChangeAt((int)change));
            }

            change -= life.Changes;
        }

        return long.MaxValue;
    }
}
