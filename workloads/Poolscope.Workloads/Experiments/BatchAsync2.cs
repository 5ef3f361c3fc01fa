using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The batch of simulated network calls, awaited, on two threads.</summary>
public sealed class BatchAsync2 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "batch-async-2",
        "Items that await 500 ms, all queued at once, at most 2 threads",
        "1000 items in about 1 s",
        Sources.LargeQueue,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(1000, 0, 500, MaxThreads: 2);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Task.Delay(work));
    }
}
