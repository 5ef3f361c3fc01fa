using Poolscope.Tables;

namespace Poolscope.Decode.Scheduler;

/// <summary>The gaps in which the kernel dropped records. Times are CLOCK_MONOTONIC ns.</summary>
internal sealed class RecordingGaps
{
    /// <summary>Index of perf_lost among the values of losses.what.</summary>
    internal const byte PerfLost = 1;

    /// <summary>Index of cut among the values of losses.what.</summary>
    internal const byte Cut = 2;

    /// <summary>Index of throttled among the values of losses.what.</summary>
    internal const byte Throttled = 3;

    /// <summary>Index of damaged among the values of losses.what.</summary>
    internal const byte Damaged = 5;

    private readonly List<(long Start, long End, long Count)> _told = [];
    private readonly List<(long Start, long End)> _throttled = [];
    private (long Start, long End)[] _ordered = [];

    /// <param name="after">Start of the gap; -1 if unknown.</param>
    /// <param name="before">End of the gap; -1 if unknown.</param>
    internal void Add(long after, long before, long count) => _told.Add((after, before, count));

    /// <summary>Adds an interval without CPU samples. Thread states do not depend on samples.</summary>
    /// <param name="end">End of the interval; -1 if unknown.</param>
    internal void AddThrottled(long start, long end) => _throttled.Add((start, end));

    /// <summary>Orders the gaps; call before <see cref="Longest"/>. A gap without a start or end extends to
    /// that of the window.</summary>
    internal void Finish(long windowStart, long windowEnd)
    {
        var gaps = _told.Select(g => (Start: g.Start < 0 ? windowStart : g.Start, End: g.End < 0 ? windowEnd : g.End));
        _ordered = [.. gaps.Where(g => g.Start < g.End).OrderBy(g => g.Start)];
    }

    /// <summary>Returns the length of the longest gap that overlaps an interval, ns; 0 if none does. Call for intervals
    /// in order of time.</summary>
    /// <param name="first">Index of the first gap that is not over; start at 0 for each thread.</param>
    internal long Longest(long start, long end, ref int first)
    {
        while (first < _ordered.Length && _ordered[first].End <= start)
        {
            first++;
        }

        var longest = 0L;
        for (var i = first; i < _ordered.Length && _ordered[i].Start < end; i++)
        {
            if (_ordered[i].End > start)
            {
                longest = Math.Max(longest, _ordered[i].End - _ordered[i].Start);
            }
        }

        return longest;
    }

    /// <summary>Adds one row per gap to table losses.</summary>
    internal void AddTo(Table losses, string stream)
    {
        foreach (var gap in _told)
        {
            AddRow(losses, stream, gap.Start, gap.End, gap.Count, PerfLost);
        }

        foreach (var (start, end) in _throttled)
        {
            AddRow(losses, stream, start, end, -1, Throttled);
        }
    }

    internal static void AddRow(Table losses, string stream, long start, long end, long count, byte what)
    {
        losses.String("stream").Add(stream);
        losses.Int64("start").Add(start);
        losses.Int64("end").Add(end);
        losses.Int64("count").Add(count);
        losses.Enum("what").Add(what);
    }
}
