using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>One item per core that computes for seconds, and behind them short items that one more thread would have
/// finished within a tenth of a second. Because the CPU is busy, the gate thread waits a second for each thread that
/// the pool has, instead of half a second.</summary>
public sealed class SpinnerAndShort : IWorkload
{
    // Time beyond the gate's wait, which is a second per core and up to half a second until it looks.
    private const int SpinSecondsBeyondGate = 3;
    private const int ShortItems = 20;

    private static readonly int s_cores = Environment.ProcessorCount;

    public WorkloadDescription Description { get; } = new(
        "spinner-and-short",
        "A long computing item for each core, then 20 items of 5 ms",
        null,
        null,
        [new ExpectedVerdict("", ["gate-suppressed-by-cpu"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(s_cores + ShortItems, 0, 5, MinThreads: s_cores);

    public void Run(WorkloadRun run)
    {
        var spinners = run.Settings.MinThreads ?? s_cores;
        var brief = SpinWork.Calibrate(run.Settings.Work);
        var second = SpinWork.Calibrate(TimeSpan.FromSeconds(1));
        run.QueueAll(item => SpinWork.Spin(item < spinners ? second * (spinners + SpinSecondsBeyondGate) : brief));
    }
}
