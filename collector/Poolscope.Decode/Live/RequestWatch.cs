namespace Poolscope.Decode.Live;

/// <summary>How long the requests of ASP.NET Core take, those that are still under way too. Told from one thread, sampled from
/// any.</summary>
/// <remarks>Begin and end bear the same activity. On an HTTP/2 connection several requests may be under way under one, and an end
/// may be that of any of them: of these nothing is told until all have ended.</remarks>
internal sealed class RequestWatch
{
    /// <summary>Beyond that many at a time the others are not followed: 48 bytes each.</summary>
    public const int Most = 200_000;

    /// <summary>In place of a start.</summary>
    private const long Ambiguous = -1;

    private readonly Lock _lock = new();
    private readonly Dictionary<Guid, (long Start, int Count)> _underWay = [];
    private long _longest;

    /// <summary>A request enters the application.</summary>
    public void Start(long time, Guid activity)
    {
        lock (_lock)
        {
            if (_underWay.TryGetValue(activity, out var before))
            {
                _underWay[activity] = (time, before.Count + 1);
            }
            else if (_underWay.Count < Most)
            {
                _underWay.Add(activity, (time, 1));
            }
        }
    }

    /// <summary>A request leaves the application.</summary>
    public void Stop(long time, Guid activity)
    {
        lock (_lock)
        {
            if (!_underWay.Remove(activity, out var request))
            {
                return; // it began before watching, or was not followed
            }

            if (request.Count > 1)
            {
                _underWay.Add(activity, (Ambiguous, request.Count - 1));
            }
            else if (request.Start != Ambiguous && time - request.Start <= PoolSample.LongestRequestNs)
            {
                _longest = Math.Max(_longest, time - request.Start);
            }
        }
    }

    /// <summary>Events are missing: a request whose end is among them would seem to go on for ever.</summary>
    public void Lost()
    {
        lock (_lock)
        {
            _underWay.Clear();
        }
    }

    /// <returns>Longest time in the application, ns: of the requests that left it since the sample before, and so far of those that
    /// are still in it. 0: there is none.</returns>
    public long Sample(long nowNs)
    {
        lock (_lock)
        {
            var longest = _longest;
            _longest = 0;
            foreach (var (start, count) in _underWay.Values)
            {
                if (count == 1 && start != Ambiguous && nowNs - start <= PoolSample.LongestRequestNs)
                {
                    longest = Math.Max(longest, nowNs - start);
                }
            }

            return longest;
        }
    }
}
