using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>The trickle on twice the threads, which all exist from the start.</summary>
public sealed class TrickleV2 : IWorkload
{
    private const int Threads = 20;

    public WorkloadDescription Description { get; } = new(
        "trickle-v2",
        "One item every 10 ms that sleeps 500 ms, exactly 20 threads",
        "mean start latency about 5 s",
        Sources.LargeQueue,
        [new ExpectedVerdict("", ["blocked-at-cap"])],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(full ? 1000 : 300, 10, 500, Threads, Threads);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Thread.Sleep(work));
    }
}
