using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Items that end one after the other, never more than a quarter of a second apart, while a hundred wait. The
/// gate thread checks twice a second whether the pool has made no progress for half a second, and it always
/// has.</summary>
public sealed class SteadyProgress : IWorkload
{
    private const int Threads = 4;

    public WorkloadDescription Description { get; } = new(
        "steady-progress",
        "100 items that sleep 1 s, all queued at once on 4 threads that end in turn",
        null,
        null,
        [new ExpectedVerdict("", ["gate-suppressed-by-progress"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(100, 0, 1_000, MinThreads: Threads);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        var inTurn = run.Settings.MinThreads ?? Threads;
        // The first item of each thread is cut short, so that items end in turn from then on.
        run.QueueAll(item => Thread.Sleep(item < inTurn ? work * (item + 1) / inTurn : work));
    }
}
