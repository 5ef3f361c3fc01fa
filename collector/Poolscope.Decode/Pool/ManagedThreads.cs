namespace Poolscope.Decode.Pool;

/// <summary>The OS threads behind managed thread ids. Since .NET 11 the owner of a lock is reported by that id, which the runtime gives to
/// another thread after the first one has ended.</summary>
internal sealed class ManagedThreads
{
    private readonly Dictionary<int, List<Told>> _byId = [];

    /// <summary>A thread begins (85). Complete for the time that the runtime's stream covers.</summary>
    public void Created(long time, int id, int tid) => Add(id, new Told(time, tid, IsNew: true));

    /// <summary>A thread lives (159): a rundown lists it, before the runtime's stream or after.</summary>
    public void Lives(long time, int id, int tid) => Add(id, new Told(time, tid, IsNew: false));

    /// <summary>The OS thread that had an id at a time within the runtime's stream; -1: not known, also where it may be another one.</summary>
    /// <param name="start">Start of the runtime's stream, ns: of threads created before, none has told.</param>
    /// <param name="lived">Whether the thread with an OS id lived at that start.</param>
    public int Of(int id, long time, long start, Func<int, bool> lived)
    {
        if (!_byId.TryGetValue(id, out var told))
        {
            return -1;
        }

        var at = told.FindLastIndex(thread => thread.Time <= time);
        var before = at < 0 ? null : told[at];
        var after = at + 1 < told.Count ? told[at + 1] : null;

        // Its creation was not reported, so it had the id all the time since the start of the stream.
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

        // The streams are read one after the other.
        told.Insert(told.FindLastIndex(earlier => earlier.Time <= thread.Time) + 1, thread);
    }

    private sealed record Told(long Time, int Tid, bool IsNew);
}
