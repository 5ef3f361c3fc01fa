using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>A multiplication table with an artificially slow cell, one item per cell.</summary>
internal static class MultiplicationTable
{
    /// <summary>Returns the size of a run. The shape and the policies are published, the size is not; 400 cells of 3 s
    /// on 2 cores distinguish the policies.</summary>
    public static RunSettings Size(bool full) => full ? new RunSettings(20 * 20, 0, 3_000) : new RunSettings(10 * 10, 0, 1_000);

    public static void Run(WorkloadRun run)
    {
        var side = (int)Math.Ceiling(Math.Sqrt(run.Settings.Count));
        var cells = new int[run.Settings.Count];
        var work = run.Settings.Work;
        run.QueueAll(cell =>
        {
            Thread.Sleep(work);
            cells[cell] = ((cell / side) + 1) * ((cell % side) + 1);
        });
        var starters = Enumerable.Range(0, cells.Length).Select(i => run.Items[i].StartThread).Distinct().Count();
        run.Measured("side of table", side, "cells");
        run.Measured("sum of table", cells.Sum(c => (double)c), "");
        run.Measured("threads used", starters, "threads");
        run.MeasuredTotal();
    }
}
