using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>As many empty items as the pool can take, which shows the cost of recording per item.</summary>
public sealed class Flood : IWorkload
{
    /// <summary>Enough that no worker finds the queue empty, and few enough that no item waits.</summary>
    private const int ChainsPerProcessor = 4;

    public WorkloadDescription Description { get; } = new(
        "flood",
        "Items that only queue their successor, on all cores, for 3 s (--work-ms); no truth",
        null,
        null,
        [new ExpectedVerdict("", ["healthy", "core-contention"], AnyOf: true)],
        Knobs.Work);

    public RunSettings Defaults(bool full) => new(0, 0, 3_000);

    public void Run(WorkloadRun run)
    {
        var stopping = false;
        using var chains = new CountdownEvent(ChainsPerProcessor * Environment.ProcessorCount);
        Action<int> item = null!;
        item = chain =>
        {
            if (Volatile.Read(ref stopping))
            {
                chains.Signal();
            }
            else
            {
                run.Pool.Queue(item, chain);
            }
        };
        for (var chain = 0; chain < chains.InitialCount; chain++)
        {
            run.Pool.Queue(item, chain);
        }

        run.WaitForItsTime();
        Volatile.Write(ref stopping, true);
        chains.Wait();
    }
}
