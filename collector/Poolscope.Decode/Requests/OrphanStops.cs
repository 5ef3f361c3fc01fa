namespace Poolscope.Decode.Requests;

/// <summary>A call of which no end was reported with its activity.</summary>
/// <param name="LastOwn">The last time at which something was told of it, ns: from then on another call may have taken its activity
/// away.</param>
/// <param name="Around">The activity that it began in; empty: none.</param>
internal readonly record struct OpenCall(int Row, long LastOwn, Guid Around);

/// <summary>An end that has no call's activity.</summary>
/// <param name="Around">The activity of its thread: the one that the call began in.</param>
internal readonly record struct OrphanStop(long Time, int Tid, Guid Around, int Status, bool Failed);

/// <summary>Finds the calls to ends that nothing but their time and what was around them ties to one, such as those of calls that
/// failed after another one had begun inside them.</summary>
internal static class OrphanStops
{
    /// <summary>An end is a call's if no other call can have ended then.</summary>
    /// <param name="stops">In order of time.</param>
    /// <returns>The rows that have ended, and the rows of calls of which each may have: which one did is not reported.</returns>
    public static (IReadOnlyList<(int Row, OrphanStop Stop)> Ended, IReadOnlyList<int> Untold) Match(
        IReadOnlyList<OpenCall> open, IReadOnlyList<OrphanStop> stops)
    {
        var ended = new List<(int, OrphanStop)>();
        var untold = new List<int>();
        var calls = open.ToLookup(call => call.Around);
        foreach (var group in stops.GroupBy(stop => stop.Around))
        {
            MatchGroup([.. calls[group.Key].OrderBy(call => call.LastOwn)], group, ended, untold);
        }

        return (ended, untold);
    }

    private static void MatchGroup(List<OpenCall> calls, IEnumerable<OrphanStop> stops, List<(int Row, OrphanStop Stop)> ended, List<int> untold)
    {
        var candidates = new List<int>();
        var (next, doubtful) = (0, 0); // this many of the untold ones have not ended
        foreach (var stop in stops)
        {
            for (; next < calls.Count && calls[next].LastOwn < stop.Time; next++)
            {
                candidates.Add(calls[next].Row);
            }

            if (candidates.Count == 1 && doubtful == 0)
            {
                ended.Add((candidates[0], stop));
                candidates.Clear();
            }
            else if (candidates.Count + doubtful > 0)
            {
                untold.AddRange(candidates);
                doubtful += candidates.Count - 1;
                candidates.Clear();
            }
        }
    }
}
