using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>100 items that sleep, on a pool with a minimum of 100 threads.</summary>
public sealed class SchedulePool100Min : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "schedule-pool-100-min",
        "100 items that sleep, on a pool with a minimum of 100 threads",
        "just over 5 s in all (sleep 5 s)",
        Sources.WorkerThreads,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => full ? new RunSettings(100, 0, 5_000, MinThreads: 100) : new RunSettings(100, 0, 2_000, MinThreads: 100);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Thread.Sleep(work));
        run.MeasuredScheduling();
        run.MeasuredTotal();
    }
}
