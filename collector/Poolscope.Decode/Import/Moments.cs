namespace Poolscope.Decode.Import;

/// <summary>Moments at which threads of a process wrote events, and so were on a CPU. Keeps only one moment per thread
/// and time interval. The interval begins at 1 ms and doubles whenever there are too many moments.</summary>
internal sealed class Moments
{
    private const int Most = 1 << 16;
    private const long FirstStretchNs = 1_000_000;

    private readonly Dictionary<int, long> _stretchOf = [];
    private List<(int Tid, long Time)> _all = [];
    private long _stretchNs = FirstStretchNs;

    /// <summary>The moments in the order in which they were added.</summary>
    public IReadOnlyList<(int Tid, long Time)> All => _all;

    /// <param name="time">The time of the event, ns.</param>
    public void Add(int tid, long time)
    {
        if (IsNew(tid, time))
        {
            _all.Add((tid, time));
            if (_all.Count > Most)
            {
                Thin();
            }
        }
    }

    private bool IsNew(int tid, long time)
    {
        var stretch = time / _stretchNs;
        if (_stretchOf.TryGetValue(tid, out var last) && last == stretch)
        {
            return false;
        }

        _stretchOf[tid] = stretch;
        return true;
    }

    private void Thin()
    {
        var all = _all;
        _all = new List<(int Tid, long Time)>(Most);
        _stretchOf.Clear();
        _stretchNs *= 2;
        foreach (var (tid, time) in all)
        {
            if (IsNew(tid, time))
            {
                _all.Add((tid, time));
            }
        }
    }
}
