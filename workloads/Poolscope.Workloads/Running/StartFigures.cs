namespace Poolscope.Workloads.Running;

/// <summary>Figures that several experiments compute from the record of their items.</summary>
public static class StartFigures
{
    /// <summary>Measures what one item costs its producer: the time from the first enqueue to the last, divided by the
    /// gaps between them. Meaningful if all items are queued at once.</summary>
    public static void MeasuredScheduling(this WorkloadRun run)
    {
        var enqueues = run.Truths().Select(t => t.EnqueueNs).Order().ToList();
        if (enqueues.Count > 1)
        {
            run.Measured("ms to schedule", (enqueues[^1] - enqueues[0]) / 1e6 / (enqueues.Count - 1), "ms an item");
        }
    }

    /// <summary>Measures how far apart threads come once the pool has its minimum: the mean and the largest gap between
    /// starts after the first <see cref="Pools.PoolLimits.MinThreads"/> ones. Meaningful if no item ends before the
    /// last one has started.</summary>
    public static void MeasuredInjection(this WorkloadRun run)
    {
        var starts = run.Truths().Select(t => t.StartNs).Order().ToList();
        var atOnce = run.Limits?.MinThreads ?? 0;
        run.Measured("started at once", starts.Count(s => s - starts[0] < AtOnceNs), "items");
        if (starts.Count <= atOnce + 1)
        {
            return;
        }

        // Begins at the first injected thread, because the wait for it depends on where the gate was in its round.
        var gaps = starts.Skip(atOnce + 1).Zip(starts.Skip(atOnce), (later, earlier) => (later - earlier) / 1e6).ToList();
        run.Measured("mean gap", gaps.Average(), "ms a thread");
        run.Measured("longest gap", gaps.Max(), "ms");
        run.Measured("all started by", (starts[^1] - run.Truths().Min(t => t.EnqueueNs)) / 1e6, "ms");
    }

    /// <summary>Measures the time from the first enqueue to the last end.</summary>
    public static void MeasuredTotal(this WorkloadRun run)
    {
        var truths = run.Truths().ToList();
        run.Measured("total", (truths.Max(t => t.EndNs) - truths.Min(t => t.EnqueueNs)) / 1e6, "ms");
    }

    // Far below the shortest round of any pool's gate (500 ms), far above a wake-up.
    private const long AtOnceNs = 100_000_000;

    private static IEnumerable<Truth.ItemTruth> Truths(this WorkloadRun run) =>
        Enumerable.Range(0, run.Items.Count).Select(i => run.Items[i]).Where(t => t.StartNs >= 0);
}
