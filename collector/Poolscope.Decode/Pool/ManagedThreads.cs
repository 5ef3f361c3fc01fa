namespace Poolscope.Decode.Pool;

/// <summary>The OS threads behind managed thread ids. Since .NET 11 the runtime reports the owner of a lock by its
/// managed id, and reuses the id after the thread has ended.</summary>
internal sealed class ManagedThreads
{
    private readonly Dictionary<int, List<Told>> _byId = [];

    /// <summary>Records the creation of a thread (event 85). The runtime's stream reports every creation it
    /// covers.</summary>
    public void Created(long time, int id, int tid) => Add(id, new Told(time, tid, IsNew: true));

    /// <summary>Records a live thread that a rundown lists (event 159), before or after the runtime's stream.</summary>
    public void Lives(long time, int id, int tid) => Add(id, new Told(time, tid, IsNew: false));

    /// <summary>Returns the OS thread that had a managed id at a time within the runtime's stream; -1 if unknown or
    /// ambiguous.</summary>
    /// <param name="start">Start of the runtime's stream, ns. Threads created earlier have no creation event.</param>
    /// <param name="lived">Returns whether the thread with an OS id lived at that start.</param>
    public int Of(int id, long time, long start, Func<int, bool> lived)
    {
        if (!_byId.TryGetValue(id, out var told))
        {
            return -1;
        }

        var at = told.FindLastIndex(thread => thread.Time <= time);
        var before = at < 0 ? null : told[at];
        var after = at + 1 < told.Count ? told[at + 1] : null;

        // Without a creation event the thread has had the id since the start of the stream.
        if (after is { IsNew: false } && (before is null || before.Time < start))
        {
            return after.Tid;
        }

        return before is null || (after is { IsNew: false } && after.Tid != before.Tid) || (before.Time < start && !lived(before.Tid))
            ? -1
            : before.Tid;
    }

    private void Add(int id, Told thread)
    {
        if (!_byId.TryGetValue(id, out var told))
        {
            _byId.Add(id, told = []);
        }

        // Entries arrive out of order, because the streams are read one after the other.
        told.Insert(told.FindLastIndex(earlier => earlier.Time <= thread.Time) + 1, thread);
    }

    private sealed record Told(long Time, int Tid, bool IsNew);
}
