using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Items that all want one lock. With a thread for each they start at once and end one after the other: the
/// queue has only moved from the pool to the lock.</summary>
public sealed class LockConvoy : IWorkload
{
    private const int Items = 200;

    public WorkloadDescription Description { get; } = new(
        "lock-convoy",
        "Items that each hold the same lock for 40 ms, all queued at once, a thread for each",
        null,
        null,
        [new ExpectedVerdict("default minimum", ["lock-convoy"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(Items, 0, 40, MinThreads: Items);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        var convoy = new Lock();
        run.QueueAll(_ =>
        {
            lock (convoy)
            {
                Thread.Sleep(work);
            }
        });
    }
}
