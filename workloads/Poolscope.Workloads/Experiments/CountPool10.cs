using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Ten counters as work items. The timer that ends them needs a thread of the same pool.</summary>
public sealed class CountPool10 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "count-pool-10",
        "Ten counting items; the timer that is to end them needs a pool thread",
        "takes about 30 s instead of 1 s: the timer never fires in time",
        Sources.BehindTheScenes,
        [
            new ExpectedVerdict("--pool runtime", ["core-contention", "gate-suppressed-by-cpu"], AnyOf: true),
            new ExpectedVerdict("--pool rotor", ["core-contention", "late-timers"]),
        ],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(TenCounters.Threads, 0, 1_000);

    public void Run(WorkloadRun run) => TenCounters.Run(run, run.Pool.Queue);
}
