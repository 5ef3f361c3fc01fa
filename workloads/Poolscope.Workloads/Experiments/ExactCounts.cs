using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Waits in exact numbers, mostly primes (hidden): 1009 items on exactly 23 threads. The first three groups of
/// 23 items meet and then block in ways that are forced and counted: 14 waits for 7 held locks, 11 for an event, 13 for
/// tasks.</summary>
/// <remarks>Before a thread ends a wait, it sees the waiter in state WaitSleepJoin, so each wait really blocks. All
/// meeting and polling uses Thread.Sleep, which writes no event.</remarks>
public sealed class ExactCounts : IWorkload
{
    public const int Items = 1009;
    public const int Threads = 23;
    public const int Locks = 7;
    public const int WaitersPerLock = 2;
    public const int EventWaits = 11;
    public const int TaskWaits = 13;

    public WorkloadDescription Description { get; } = new(
        "exact-counts",
        "1009 items on 23 threads that contend for 7 locks, as often as was counted beforehand",
        null,
        null,
        [new ExpectedVerdict("", ["healthy", "blocked-at-cap"], AnyOf: true)],
        Knobs.None);

    public RunSettings Defaults(bool full) => new(Items, 0, 0, Threads, Threads);

    public void Run(WorkloadRun run)
    {
        using var scene = new ExactCountsScene();
        run.QueueAll(scene.Item);
    }
}
