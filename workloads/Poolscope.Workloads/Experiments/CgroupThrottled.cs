using Poolscope.Workloads.Cgroups;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Computing items under a CPU quota of half a core: the kernel stops the whole process for half of each
/// 100 ms, while cores are idle. The process moves itself into the group after the runtime has counted its processors,
/// as when an orchestrator lowers a limit later.</summary>
public sealed class CgroupThrottled : IWorkload
{
    private const double QuotaCores = 0.5;

    public WorkloadDescription Description { get; } = new(
        "cgroup-throttled",
        "Items of 50 ms of CPU work, all queued at once, in a cgroup with a quota of half a core",
        null,
        null,
        [new ExpectedVerdict("", ["cgroup-throttled"])],
        Knobs.Items);

    // As many threads as cores: more threads would not raise the quota.
    public RunSettings Defaults(bool full) => new(40, 0, 50, Environment.ProcessorCount, Environment.ProcessorCount);

    public void Run(WorkloadRun run)
    {
        // Calibrated before the quota applies.
        var iterations = SpinWork.Calibrate(run.Settings.Work);
        using var group = QuotaGroup.Join(QuotaCores);
        run.QueueAll(_ => SpinWork.Spin(iterations));
    }
}
