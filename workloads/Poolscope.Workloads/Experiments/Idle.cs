using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>A process that queues nothing.</summary>
public sealed class Idle : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "idle",
        "No items at all, for 3 s (--work-ms)",
        null,
        null,
        [new ExpectedVerdict("", ["healthy", "no-work"], AnyOf: true)],
        Knobs.Work);

    public RunSettings Defaults(bool full) => new(0, 0, 3_000);

    public void Run(WorkloadRun run) => run.WaitForItsTime();
}
