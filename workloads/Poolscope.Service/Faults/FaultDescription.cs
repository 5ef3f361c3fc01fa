namespace Poolscope.Service.Faults;

/// <summary>A fault as the command line offers it.</summary>
/// <param name="Path">The endpoint that the load generator calls.</param>
/// <param name="MinThreads">The pool's minimum unless an option sets it; null for the runtime's default.</param>
/// <param name="About">One line for `--help` and the docs.</param>
public sealed record FaultDescription(Fault Fault, string Name, string Path, int? MinThreads, string About)
{
    public static IReadOnlyList<FaultDescription> All { get; } =
    [
        new(Fault.None, "none", Paths.Async, null, "requests await the database"),
        new(Fault.Sync, "sync", Paths.Sync, null, "requests call the database on a blocking socket"),
        new(Fault.SyncOverAsync, "sync-over-async", Paths.SyncOverAsync, null, "requests block on .Result of an asynchronous call"),

        // With fewer threads than concurrent requests, requests would wait for a thread and hardly ever for the lock.
        new(Fault.Lock, "lock", Paths.Cached, 100, "requests read a cache whose lock is held while it is refreshed"),
        new(Fault.Timer, "timer", Paths.Async, null, "a background timer's blocking calls pile up beside asynchronous requests"),
        new(Fault.Gc, "gc", Paths.Async, null, "a background thread collects a large heap, blocking, over and over"),
    ];

    public static IEnumerable<string> Names => All.Select(f => f.Name);

    /// <returns>Null if no fault has this name.</returns>
    public static FaultDescription? Find(string name) => All.FirstOrDefault(f => f.Name == name);

    public static FaultDescription Of(Fault fault) => All.First(f => f.Fault == fault);
}
