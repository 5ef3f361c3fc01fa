using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>CPU work on far more threads than cores, or on as many, with --min-threads and --max-threads at the number
/// of cores. As with customers at a till, serving all at once serves none sooner. The items do not wait for each other,
/// so threads join the crowd one after the other, as fast as the busy cores let the pool start them.</summary>
public sealed class Cashiers : IWorkload
{
    private const int Items = 100;

    public WorkloadDescription Description { get; } = new(
        "cashiers",
        "100 items of 150 ms of CPU work, all queued at once, a thread for each",
        "a lot more overhead than with as many threads as cores",
        Sources.LargeQueue,
        [
            new ExpectedVerdict("a thread for each", ["oversubscribed"]),
            new ExpectedVerdict("as many threads as cores", ["core-contention"]),
        ],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(Items, 0, 150, MinThreads: Items);

    public void Run(WorkloadRun run)
    {
        var iterations = SpinWork.Calibrate(run.Settings.Work);
        var before = SchedulerCost.Read();
        run.QueueAll(_ => SpinWork.Spin(iterations));
        if (SchedulerCost.Read() is { } after && before is { } start)
        {
            var cost = after - start;
            run.Measured("preemptions", cost.Switches, "switches");
            run.Measured("on a core", cost.Cpu.TotalMilliseconds, "ms, summed over threads");
            run.Measured("ready", cost.Ready.TotalMilliseconds, "ms runnable without a core, summed over threads");
        }
    }
}
