using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The growth of the shared-source CLR's pool while no item ends.</summary>
public sealed class RotorGrowth : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "rotor-growth",
        "Items held by one event on a pool with the shared-source CLR's growth rule",
        "a gap of 5.4 s before the 25th thread (500 x 1.1^25 ms); gaps are multiples of 500 ms",
        Sources.BehindTheScenes,
        [new ExpectedVerdict("", ["injection-delay"])],
        Knobs.Count);

    public string DefaultPool => "rotor";

    public RunSettings Defaults(bool full) => new(Environment.ProcessorCount + (full ? 25 : 10), 0, 0);

    public void Run(WorkloadRun run)
    {
        using var arrived = new CountdownEvent(run.Settings.Count);
        run.QueueAll(_ => Barrier.SignalAndWait(arrived));
        run.MeasuredInjection();
    }
}
