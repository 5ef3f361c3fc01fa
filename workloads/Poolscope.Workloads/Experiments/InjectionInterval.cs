using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Items that hold their workers until the last one has started, so that each further start is that of an
/// injected thread.</summary>
public sealed class InjectionInterval : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "injection-interval",
        "Items held by one event: every start after the first ones is an injected thread",
        "951.57 ms a thread",
        Sources.WorkerThreads,
        [new ExpectedVerdict("", ["injection-delay"])],
        Knobs.Count | Knobs.MinThreads);

    public RunSettings Defaults(bool full) => new(Environment.ProcessorCount + (full ? 40 : 12), 0, 0);

    public void Run(WorkloadRun run)
    {
        using var allStarted = new CountdownEvent(run.Settings.Count);
        using var release = new ManualResetEvent(false);
        run.QueueAll(_ =>
        {
            if (allStarted.Signal())
            {
                release.Set();
            }

            release.WaitOne();
        });
        run.MeasuredInjection();
    }
}
