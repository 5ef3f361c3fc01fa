using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>More CPU-bound items than cores. Each does the same amount of work, so an item that gets half a core takes
/// twice as long and costs the same.</summary>
public sealed class Spin : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "spin",
        "Items of a fixed amount of CPU work (250 ms of one core), all queued at once",
        null,
        null,
        [new ExpectedVerdict("", ["core-contention"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(40, 0, 250);

    public void Run(WorkloadRun run)
    {
        var iterations = SpinWork.Calibrate(run.Settings.Work);
        run.QueueAll(_ => SpinWork.Spin(iterations));
    }
}
