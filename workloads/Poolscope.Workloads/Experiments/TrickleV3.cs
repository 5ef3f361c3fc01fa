using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The trickle with an asynchronous wait: one thread is enough for all items.</summary>
public sealed class TrickleV3 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "trickle-v3",
        "One item every 10 ms that awaits 500 ms, at most 1 thread",
        "start latency too small to measure",
        Sources.LargeQueue,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(full ? 1000 : 300, 10, 500, MaxThreads: 1);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Task.Delay(work));
    }
}
