using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The batch of simulated network calls on two hundred threads.</summary>
public sealed class BatchBlock200 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "batch-block-200",
        "Items that sleep 500 ms, all queued at once, at most 200 threads",
        "mean start latency 4 s",
        Sources.LargeQueue,
        [
            new ExpectedVerdict("--min-threads 200", ["blocked-at-cap"]),
            new ExpectedVerdict("default minimum", ["injection-delay", "goal-lowered-under-backlog"], AnyOf: true),
        ],
        Knobs.Items);

    // With 200 threads from the start, 1000 calls take 2.5 s, so the scaled run is the published one.
    public RunSettings Defaults(bool full) => new(1000, 0, 500, MinThreads: 200, MaxThreads: 200);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Thread.Sleep(work));
    }
}
