using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Measures the cost of creating threads.</summary>
public sealed class CreateThreads100 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "create-threads-100",
        "100 new threads that sleep",
        "2.2 ms a thread to create; 5252 ms in all (sleep 5 s)",
        Sources.WorkerThreads,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Count | Knobs.Work);

    public bool QueuesToPool => false;

    public RunSettings Defaults(bool full) => new(100, 0, full ? 5_000 : 2_000);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.StartAll(_ => Thread.Sleep(work), DedicatedThreads.StartThread);
        run.MeasuredScheduling();
        run.MeasuredTotal();
    }
}
