using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Ten counters on a pool with pre-created threads.</summary>
/// <remarks>Eleven threads: ten for the counters and one for the timer's callback. In the published run, the callback
/// ran in the runtime's pool and not in the pool under test.</remarks>
public sealed class CountReference10 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "count-reference-10",
        "Ten counting items on a pool of pre-created threads",
        "total 9,647,589 increments in 1 s",
        Sources.BehindTheScenes,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Count | Knobs.Work);

    public string DefaultPool => "fixed:11";

    public RunSettings Defaults(bool full) => new(TenCounters.Threads, 0, 1_000);

    public void Run(WorkloadRun run) => TenCounters.Run(run, run.Pool.Queue);
}
