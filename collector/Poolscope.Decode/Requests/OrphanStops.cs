namespace Poolscope.Decode.Requests;

/// <summary>A call whose activity no end event carried.</summary>
/// <param name="LastOwn">The last time at which an event carried the call's activity, ns. Later, another call may have
/// replaced it.</param>
/// <param name="Around">The activity in which the call began; empty if none.</param>
internal readonly record struct OpenCall(int Row, long LastOwn, Guid Around);

/// <summary>An end event without the activity of a call.</summary>
/// <param name="Around">The activity of the event's thread, in which the call began.</param>
internal readonly record struct OrphanStop(long Time, int Tid, Guid Around, int Status, bool Failed);

/// <summary>Matches calls with end events that carry no call's activity, by time and enclosing activity. Such ends
/// come, for example, from calls that failed after another call had begun inside them.</summary>
internal static class OrphanStops
{
    /// <summary>Assigns an end to a call if no other call can have ended then.</summary>
    /// <param name="stops">The end events, in order of time.</param>
    /// <returns>The rows with their ends, and the rows of ambiguous calls: some of these ended, but no event says
    /// which.</returns>
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
        var (next, doubtful) = (0, 0); // doubtful: the number of untold calls that have not ended
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
