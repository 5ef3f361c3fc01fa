namespace Poolscope.Decode.Nettrace.Values;

/// <param name="Time">When the collector first saw the thread, CLOCK_MONOTONIC ns: at most a beat after it began, or at the
/// start of the recording.</param>
/// <param name="Tid">Outside of the namespace, as the kernel's events have it.</param>
/// <param name="Inside">Inside, as the runtime's events have it.</param>
internal readonly record struct SeenThread(long Time, int Tid, int Inside);

/// <summary>From the ids that threads have inside a pid namespace to those outside.</summary>
internal sealed class ThreadIds
{
    /// <summary>Ids are below this: PID_MAX_LIMIT of a 64-bit kernel.</summary>
    public const int Limit = 1 << 22;

    private readonly Dictionary<int, List<SeenThread>> _byInside = [];

    /// <param name="seen">In order of time.</param>
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

    /// <summary>The outer id of the thread that had an inner id at a time. For a thread that nobody saw an id that no thread can
    /// have, <see cref="Limit"/> and more: outside, the inner id belongs to some other thread.</summary>
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

        // A thread is seen soon after it began, so of several the one that was seen last before is the most likely.
        var at = lives.FindLastIndex(thread => thread.Time <= time);
        return lives[Math.Max(at, 0)].Tid;
    }
}
