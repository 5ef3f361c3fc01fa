using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Tasks that each wait until all have arrived: none can end before the last one has a thread.</summary>
public sealed class BarrierDefault : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "barrier-default",
        "N tasks that each signal a countdown of N and wait for it",
        "12 (cores) at once, then 1 thread a second: 988.011 s for N = 1000",
        Sources.Oversubscribe,
        [new ExpectedVerdict("", ["injection-delay"])],
        Knobs.Count | Knobs.MinThreads);

    public RunSettings Defaults(bool full) => new(full ? 1000 : 20, 0, 0);

    public void Run(WorkloadRun run)
    {
        using var arrived = new CountdownEvent(run.Settings.Count);
        run.QueueAll(_ => Barrier.SignalAndWait(arrived));
        run.MeasuredInjection();
    }
}
