using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>100 items that sleep, on a pool that has to grow.</summary>
public sealed class SchedulePool100 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "schedule-pool-100",
        "100 items that sleep, on a pool that has to grow",
        "0.147 ms an item to schedule; the first 8 (cores) start at once, the next ones 0.5 to 1 s apart",
        Sources.WorkerThreads,
        [new ExpectedVerdict("", ["injection-delay"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => full ? new RunSettings(100, 0, 5_000) : new RunSettings(60, 0, 2_000);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Thread.Sleep(work));
        run.MeasuredScheduling();
        run.MeasuredTotal();
    }
}
