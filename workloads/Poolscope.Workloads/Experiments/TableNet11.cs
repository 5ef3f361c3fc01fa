using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The multiplication table on the pool of .NET 1.1.</summary>
public sealed class TableNet11 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "table-net11",
        "A multiplication table, one slow cell per item, on the pool of .NET 1.1",
        "the baseline; threads grow in a straight line",
        Sources.BackoffIn35,
        [new ExpectedVerdict("", ["injection-delay"])],
        Knobs.Count | Knobs.Work);

    public string DefaultPool => "net11";

    public RunSettings Defaults(bool full) => MultiplicationTable.Size(full);

    public void Run(WorkloadRun run) => MultiplicationTable.Run(run);
}
