using System.Diagnostics;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Measures how far one thread counts in a second.</summary>
public sealed class CountSingle : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "count-single",
        "One thread counts until a timer ends it",
        "10,277,633 increments in 1 s (1.6 GHz, one core)",
        Sources.BehindTheScenes,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Work);

    public bool QueuesToPool => false;

    public RunSettings Defaults(bool full) => new(0, 0, 1_000);

    public void Run(WorkloadRun run)
    {
        var counter = new CountWithDecimal();
        using var timer = new EndingTimer(run, counter.Stop);
        var begin = Stopwatch.GetTimestamp();
        var count = counter.Count();
        run.Measured("count", count / Stopwatch.GetElapsedTime(begin).TotalSeconds, "increments/s");
        timer.Measure(run);
    }
}
