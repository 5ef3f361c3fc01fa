using System.Runtime.CompilerServices;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>A steady trickle of items that wait half a second each, on a pool capped at ten threads: 100 items a second
/// arrive, and at most 20 can leave.</summary>
public sealed class TrickleV1 : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "trickle-v1",
        "One item every 10 ms that sleeps 500 ms, at most 10 threads",
        "mean start latency about 32 s",
        Sources.LargeQueue,
        [
            new ExpectedVerdict("default minimum", ["blocked-at-cap", "injection-delay"]),
            new ExpectedVerdict("--min-threads 10", ["blocked-at-cap"]),
        ],
        Knobs.Items);

    public RunSettings Defaults(bool full) => new(full ? 1000 : 300, 10, 500, MaxThreads: 10);

    public void Run(WorkloadRun run)
    {
        var work = run.Settings.Work;
        run.QueueAll(_ => Sleep(work));
    }

    /// <summary>Sleeps in a separate method that appears on every stack, so that a report's blame can be checked: the
    /// compiler inlines a hot lambda into its caller.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Sleep(TimeSpan work) => Thread.Sleep(work);
}
