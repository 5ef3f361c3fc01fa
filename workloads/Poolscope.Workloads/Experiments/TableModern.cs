using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The multiplication table on the runtime's own pool.</summary>
public sealed class TableModern : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "table-modern",
        "A multiplication table, one slow cell per item, on the runtime's own pool",
        null,
        null,
        [new ExpectedVerdict("", ["injection-delay"])],
        Knobs.Count | Knobs.Work);

    public RunSettings Defaults(bool full) => MultiplicationTable.Size(full);

    public void Run(WorkloadRun run) => MultiplicationTable.Run(run);
}
