using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The barrier with a thread for each task.</summary>
public sealed class BarrierLongRunning : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "barrier-long-running",
        "N LongRunning tasks that each signal a countdown of N and wait for it",
        "all started by 0.290 s, done at 0.316 s",
        Sources.Oversubscribe,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Count);

    public bool QueuesToPool => false;

    public RunSettings Defaults(bool full) => new(1000, 0, 0);

    public void Run(WorkloadRun run)
    {
        using var arrived = new CountdownEvent(run.Settings.Count);
        run.StartAll(_ => Barrier.SignalAndWait(arrived), DedicatedThreads.StartTask);
        var starts = Enumerable.Range(0, run.Items.Count).Select(i => run.Items[i]).ToList();
        run.Measured("all started by", (starts.Max(t => t.StartNs) - starts.Min(t => t.EnqueueNs)) / 1e6, "ms");
    }
}
