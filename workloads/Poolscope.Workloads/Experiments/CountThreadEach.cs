using System.Diagnostics;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>A new thread for each increment.</summary>
public sealed class CountThreadEach : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "count-thread-each",
        "One new thread for each increment, until a timer ends it",
        "11 increments in 1 s (spinning on IsAlive); 670 with Join, measured by a reader",
        Sources.BehindTheScenes,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Work | Knobs.Leg)
    {
        Legs = ["the counting thread spins on IsAlive", "it waits with Join"],
    };

    public bool QueuesToPool => false;

    public RunSettings Defaults(bool full) => new(0, 0, 1_000, Leg: 1);

    public void Run(WorkloadRun run)
    {
        var stopped = false;
        using var timer = new EndingTimer(run, () => Volatile.Write(ref stopped, true));
        var begin = Stopwatch.GetTimestamp();
        var count = 0m;
        while (!Volatile.Read(ref stopped))
        {
            var thread = new Thread(() => count++);
            thread.Start();
            if (run.Settings.Leg == 2)
            {
                thread.Join();
            }

            while (thread.IsAlive)
            {
            }
        }

        run.Measured("count", (double)count / Stopwatch.GetElapsedTime(begin).TotalSeconds, "increments/s");
        timer.Measure(run);
    }
}
