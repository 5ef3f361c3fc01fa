using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The same CPU work by far more threads than there are cores, or, with --min-threads and --max-threads at the
/// number of cores, by as many. Like customers at a till: to serve all at once serves none sooner.</summary>
public sealed class Cashiers : IWorkload
{
    private const int Items = 200;
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(20);

    public WorkloadDescription Description { get; } = new(
        "cashiers",
        "200 items of 50 ms of CPU work, all queued at once, a thread for each",
        "a lot more overhead than with as many threads as cores",
        Sources.LargeQueue,
        [
            new ExpectedVerdict("a thread for each", ["oversubscribed"]),
            new ExpectedVerdict("as many threads as cores", ["core-contention"]),
        ],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(Items, 0, 50, MinThreads: Items);

    public void Run(WorkloadRun run)
    {
        var iterations = SpinWork.Calibrate(run.Settings.Work);
        // Threads come one after the other. Those that the pool has from the start begin together, as at a till that opens.
        var together = Math.Min(run.Settings.Count, run.Settings.MinThreads ?? Environment.ProcessorCount);
        var arrived = 0;
        var before = SchedulerCost.Read();
        run.QueueAll(item =>
        {
            if (item < together)
            {
                // Not an event: two hundred threads that leave one at once would queue for its lock.
                Interlocked.Increment(ref arrived);
                while (Volatile.Read(ref arrived) < together)
                {
                    Thread.Sleep(s_look);
                }
            }

            SpinWork.Spin(iterations);
        });
        if (SchedulerCost.Read() is { } after && before is { } start)
        {
            var cost = after - start;
            run.Measured("preemptions", cost.Switches, "switches");
            run.Measured("on a core", cost.Cpu.TotalMilliseconds, "ms, summed over threads");
            run.Measured("ready", cost.Ready.TotalMilliseconds, "ms runnable without a core, summed over threads");
        }
    }
}
