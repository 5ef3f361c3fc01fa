namespace Poolscope.Decode.Live;

/// <summary>Measures how long requests of ASP.NET Core take, including those still under way. One thread delivers
/// events; any thread may take samples.</summary>
/// <remarks>The start and the end of a request have the same activity. On an HTTP/2 connection, several requests may
/// share one activity, and an end may belong to any of them. They are not measured until all have ended.</remarks>
internal sealed class RequestWatch
{
    /// <summary>The most requests followed at a time, 48 bytes each. Further ones are ignored.</summary>
    public const int Most = 200_000;

    /// <summary>Replaces a start time that is ambiguous.</summary>
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

    /// <summary>Forgets all requests, because events are missing: those whose end is among them would seem to go on
    /// forever.</summary>
    public void Lost()
    {
        lock (_lock)
        {
            _underWay.Clear();
        }
    }

    /// <returns>The longest time in the application, ns, of the requests that left it since the previous sample and, so
    /// far, of those that are still in it; 0 if there is none.</returns>
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
