using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The multiplication table on the pool of .NET 3.5.</summary>
public sealed class TableNet35 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "table-net35",
        "A multiplication table, one slow cell per item, on the pool of .NET 3.5",
        "about twice as slow as on .NET 1.1; the first 15 threads come quickly, then ever more slowly",
        Sources.BackoffIn35,
        [new ExpectedVerdict("", ["injection-delay"])],
        Knobs.Count | Knobs.Work);

    public string DefaultPool => "net35";

    public RunSettings Defaults(bool full) => MultiplicationTable.Size(full);

    public void Run(WorkloadRun run) => MultiplicationTable.Run(run);
}
