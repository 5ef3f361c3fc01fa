using System.Diagnostics;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Several counters at once, each with its own count, ended by one timer.</summary>
internal static class TenCounters
{
    public const int Threads = 10;

    /// <param name="start">Starts a counter; receives its code and its number.</param>
    public static void Run(WorkloadRun run, Action<Action<int>, int> start)
    {
        var counter = new CountWithDecimal();
        var counts = new double[run.Settings.Count];
        using var timer = new EndingTimer(run, counter.Stop);
        var begin = Stopwatch.GetTimestamp();
        run.StartAll(number => counts[number] = counter.Count(), start);
        var took = Stopwatch.GetElapsedTime(begin).TotalSeconds;
        for (var i = 0; i < counts.Length; i++)
        {
            run.Measured($"counter {i}", counts[i], $"increments on thread {run.Items[i].StartThread}");
        }

        run.Measured("count", counts.Sum() / took, "increments/s");
        timer.Measure(run);
    }
}
