using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Items that wait and then compute: once with a thread per core, once with a thread per item, once without
/// holding a thread while they wait.</summary>
public sealed class WaitThenCompute : IWorkload
{
    private const int ThreadPerItem = 200;

    public WorkloadDescription Description { get; } = new(
        "wait-then-compute",
        "Items that wait, then compute as long",
        "about 50 s with a thread per core; about 25 s asynchronously",
        Sources.LargeQueue,
        [
            new ExpectedVerdict("leg 1", ["blocked-at-cap"]),
            new ExpectedVerdict("legs 2 and 3", ["core-contention", "oversubscribed"], AnyOf: true),
        ],
        Knobs.Items | Knobs.Leg)
    {
        Legs = ["min = max = cores, blocking", "200 threads, blocking", "asynchronous"],
    };

    /// <remarks>Published: 200 items of 500 ms + 500 ms on 4 cores. The items per core are kept, so that the published
    /// times hold on any number of cores. Scaled: a fifth of the items.</remarks>
    public RunSettings Defaults(bool full) =>
        ForLeg(new RunSettings((full ? 50 : 10) * Environment.ProcessorCount, 0, 500), 1);

    public RunSettings ForLeg(RunSettings defaults, int leg) => defaults with
    {
        Leg = leg,
        MinThreads = leg == 2 ? ThreadPerItem : Environment.ProcessorCount,
        MaxThreads = leg == 2 ? ThreadPerItem : Environment.ProcessorCount,
    };

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        var iterations = SpinWork.Calibrate(work);
        if (run.Settings.Leg == 3)
        {
            run.QueueAll(async _ =>
            {
                await Task.Delay(work).ConfigureAwait(false);
                SpinWork.Spin(iterations);
            });
        }
        else
        {
            run.QueueAll(_ =>
            {
                Thread.Sleep(work);
                SpinWork.Spin(iterations);
            });
        }

        run.MeasuredTotal();
    }
}
