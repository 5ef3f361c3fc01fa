using Poolscope.Workloads.Running;
using Poolscope.Workloads.Storms;

namespace Poolscope.Workloads.Experiments;

/// <summary>More events than small buffers hold (hidden): a flood of trivial items for the runtime's buffer, and, for
/// the kernel's rings, two threads on each core that wake each other over a hundred thousand times a second.</summary>
public sealed class OverflowStorm : IWorkload
{
    private const int Items = 500_000;

    public WorkloadDescription Description { get; } = new(
        "overflow-storm",
        "Half a million trivial items beside a storm of wake-ups, to lose events on purpose",
        null,
        null,
        [new ExpectedVerdict("with tiny buffers", ["cannot-tell"])],
        Knobs.Count | Knobs.Work);

    public RunSettings Defaults(bool full) => new(Items, 0, 1500);

    public void Run(WorkloadRun run)
    {
        using var storm = new WakeUpStorm();
        run.QueueAll(static _ => { });
        Thread.Sleep(run.Settings.Work); // the items take a fraction of a second, the rings need longer
        Console.Error.WriteLine($"{storm.WakeUpsPerSecond:N0} wake-ups a second");
    }
}
