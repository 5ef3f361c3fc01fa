using Poolscope.Tables;

namespace Poolscope.Decode.Pool;

/// <summary>The end times of threads, from table `threads` of a kernel stream. The kernel reuses thread ids, so a
/// thread is found by its id and a moment of its life.</summary>
internal sealed class ThreadExits
{
    private readonly Dictionary<int, List<(long Start, long End)>> _lives = [];

    public ThreadExits(Table threads)
    {
        var (tids, starts, ends) = (threads.Int32("tid"), threads.Int64("start"), threads.Int64("end"));
        for (var row = 0; row < threads.Count; row++)
        {
            if (!_lives.TryGetValue(tids[row], out var lives))
            {
                _lives.Add(tids[row], lives = []);
            }

            lives.Add((starts[row], ends[row]));
        }
    }

    /// <summary>Returns whether a thread with the id lived at the time.</summary>
    public bool LivedAt(int tid, long time) =>
        _lives.GetValueOrDefault(tid, []).Exists(life => life.Start <= time && (life.End < 0 || life.End >= time));

    /// <returns>The exit time of the thread that had the id at the time; -1 if it lived on or is unknown.</returns>
    public long Of(int tid, long time)
    {
        foreach (var (start, end) in _lives.GetValueOrDefault(tid, []))
        {
            if (start <= time && end >= time)
            {
                return end;
            }
        }

        return -1;
    }
}
