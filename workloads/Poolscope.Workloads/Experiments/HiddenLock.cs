using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Items that sleep and then hold one lock for a moment. Two threads hardly ever meet at the lock, so a
/// capture does not show that it allows at most 25 items a second, however many threads there are.</summary>
public sealed class HiddenLock : IWorkload
{
    private const int Threads = 2;

    // The share of an item's time under the lock: 40 of 500 ms.
    private const double LockedShare = 0.08;

    public WorkloadDescription Description { get; } = new(
        "hidden-lock",
        "Items of 500 ms, 460 asleep and 40 under one lock, all queued at once on at most 2 threads",
        null,
        null,
        [new ExpectedVerdict("", ["blocked-at-cap"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(full ? 200 : 40, 0, 500, Threads, Threads);

    public void Run(WorkloadRun run)
    {
        var locked = run.Settings.Work * LockedShare;
        var asleep = run.Settings.Work - locked;
        var gate = new Lock();
        run.QueueAll(_ =>
        {
            Thread.Sleep(asleep);
            lock (gate)
            {
                Thread.Sleep(locked);
            }
        });
    }
}
