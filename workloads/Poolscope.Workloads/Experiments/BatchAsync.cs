using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The batch of simulated network calls, awaited, on ten threads.</summary>
public sealed class BatchAsync : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "batch-async",
        "Items that await 500 ms, all queued at once, at most 10 threads",
        "mean start latency 0.0005 ms",
        Sources.LargeQueue,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(1000, 0, 500, MaxThreads: 10);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Task.Delay(work));
    }
}
