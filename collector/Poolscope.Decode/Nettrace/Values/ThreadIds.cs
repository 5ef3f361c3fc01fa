namespace Poolscope.Decode.Nettrace.Values;

/// <param name="Time">When the collector first saw the thread, CLOCK_MONOTONIC ns: at most one reading after it began,
/// or at the start of the recording.</param>
/// <param name="Tid">The id outside the namespace, as in the kernel's events.</param>
/// <param name="Inside">The id inside the namespace, as in the runtime's events.</param>
internal readonly record struct SeenThread(long Time, int Tid, int Inside);

/// <summary>Maps the ids of threads inside a pid namespace to those outside.</summary>
internal sealed class ThreadIds
{
    /// <summary>Ids are below this: PID_MAX_LIMIT of a 64-bit kernel.</summary>
    public const int Limit = 1 << 22;

    private readonly Dictionary<int, List<SeenThread>> _byInside = [];

    /// <param name="seen">The threads in order of time.</param>
    public ThreadIds(IEnumerable<SeenThread> seen)
    {
        foreach (var thread in seen)
        {
            if (!_byInside.TryGetValue(thread.Inside, out var lives))
            {
                _byInside.Add(thread.Inside, lives = []);
            }

            lives.Add(thread);
        }
    }

    /// <summary>Returns the outer id of the thread that had an inner id at a time. If the collector saw no such thread,
    /// returns an id that no thread can have, at least <see cref="Limit"/>: outside, the inner id is another
    /// thread's.</summary>
    public int Of(int inside, long time)
    {
        if (inside is <= 0 or >= Limit)
        {
            return inside;
        }

        if (!_byInside.TryGetValue(inside, out var lives))
        {
            return Limit + inside;
        }

        // The collector sees a thread soon after it began, so the last thread seen before the time is the most likely.
        var at = lives.FindLastIndex(thread => thread.Time <= time);
        return lives[Math.Max(at, 0)].Tid;
    }
}
