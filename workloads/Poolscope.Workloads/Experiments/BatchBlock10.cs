using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>A batch of simulated network calls, queued at once to a pool capped at ten threads.</summary>
/// <remarks>1000 calls of 500 ms on ten threads cannot wait longer than 25 s on average: the published figure needs
/// about two effective threads. Measured with a default minimum of two on .NET 10: 45 s.</remarks>
public sealed class BatchBlock10 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "batch-block-10",
        "Items that sleep 500 ms, all queued at once, at most 10 threads",
        "mean start latency over 2 minutes",
        Sources.LargeQueue,
        [
            new ExpectedVerdict("--min-threads 10", ["blocked-at-cap"]),
            new ExpectedVerdict("default minimum", ["injection-delay", "goal-lowered-under-backlog"], AnyOf: true),
        ],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(full ? 1000 : 400, 0, 500, MaxThreads: 10);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Thread.Sleep(work));
    }
}
