using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Poolscope.Decode.Scheduler;

/// <summary>The intervals in which the threads of one id were on a CPU, around the most recently requested time.
/// Callers go through a capture nearly in order, and a busy worker has millions of intervals, too many to hold at
/// once.</summary>
/// <param name="lives">The threads that had the id, one after the other.</param>
/// <param name="from">Start of the range to which intervals are cut, ns; <paramref name="to"/> is its end.</param>
internal sealed class RunningStretch(IReadOnlyList<ThreadHistory> lives, long from, long to)
{
    // Changes of state to unpack beyond the requested ones, before the time and after it.
    private const int Behind = 2048;
    private const int Ahead = 16_384;

    private readonly List<(long Start, long End)> _held = [];
    private bool _fromFirst;
    private long _until = long.MinValue; // all intervals that begin before this are held

    /// <summary>Returns the intervals that begin before a time: at least the last <paramref name="count"/>, or all if
    /// there are fewer.</summary>
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

    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // a loop over thousands of changes, called rarely
    private void Hold(long time, int count)
    {
        // An interval takes at most two changes, because two consecutive changes are never both to Ready.
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

    /// <summary>Returns the time of a change, counted across all lives; the maximum if there is no such
    /// change.</summary>
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
