using Poolscope.Look.Lines;

namespace Poolscope.Look.Judging;

/// <summary>Threads with the same stack.</summary>
public sealed record StackGroup(int Count, PoolThread Thread);

/// <summary>One reading, with its threads and items counted.</summary>
public sealed class PoolView
{
    public PoolView(LookReading reading, OwnModules own)
    {
        Reading = reading;
        var threads = reading.Threads.Select(thread => PoolThread.Of(thread, own)).ToList();
        Workers = [.. threads.Where(thread => thread.IsWorker)];
        Others = [.. threads.Where(thread => !thread.IsWorker && thread.Method is not null)];
    }

    public LookReading Reading { get; }

    public IReadOnlyList<PoolThread> Workers { get; }

    /// <summary>Gets the program's threads outside the pool.</summary>
    public IReadOnlyList<PoolThread> Others { get; }

    public int Inside => Workers.Count(thread => thread.InItem);

    public int Blocked => Workers.Count(thread => thread.InItem && thread.Blocked);

    public int Running => Inside - Blocked;

    public int Queued => Reading.Queues?.Length ?? 0;

    /// <summary>Gets the share of threads whose activity is not known, 0 to 1; 1 if nothing is known.</summary>
    public double NotRead => Math.Max(Reading.ThreadCount is { } count and > 0 ? (double)Reading.ThreadsNotRead / count : 1, Unseen);

    /// <summary>Gets the share of the active threads that no stack shows inside an item. The look does not stop
    /// threads, so the stack of a running one may look like that of another moment.</summary>
    private double Unseen => Reading.Pool?.Active is { } active and > 0 ? Math.Max(0.0, active - Inside) / active : 0;

    /// <summary>Gets the workers inside items, grouped by stack, the most frequent first.</summary>
    public IReadOnlyList<StackGroup> Groups => By(Workers.Where(thread => thread.InItem), thread => string.Join('\n', thread.Frames));

    /// <summary>Returns the thread with an OS id, or null if its stack was not read.</summary>
    public PoolThread? Of(uint? osId) => osId is null ? null : Workers.Concat(Others).FirstOrDefault(thread => thread.OsId == osId);

    /// <summary>Gets the blocked workers, grouped by their own method and the call that it made.</summary>
    public IReadOnlyList<StackGroup> BlockedIn => By(Workers.Where(thread => thread.InItem && thread.Blocked), thread => $"{thread.Method}\n{thread.Call}");

    private static IReadOnlyList<StackGroup> By(IEnumerable<PoolThread> threads, Func<PoolThread, string> key) =>
        [.. threads.GroupBy(key).Select(group => new StackGroup(group.Count(), group.First())).OrderByDescending(group => group.Count).ThenBy(group => group.Thread.Method is null).ThenBy(group => group.Thread.Method, StringComparer.Ordinal)];
}
