using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Ten dedicated threads that count.</summary>
public sealed class CountThreads10 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "count-threads-10",
        "Ten counting threads, ended by a timer",
        "total 9,515,345 increments in 1 s",
        Sources.BehindTheScenes,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Count | Knobs.Work);

    public bool QueuesToPool => false;

    public RunSettings Defaults(bool full) => new(TenCounters.Threads, 0, 1_000);

    public void Run(WorkloadRun run) => TenCounters.Run(run, DedicatedThreads.StartThread);
}
