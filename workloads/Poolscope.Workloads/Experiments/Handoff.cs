using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>One item at a time, each queued when the previous one has ended. On one CPU (taskset) every item costs two
/// switches and two wake-ups, which shows the cost of recording the scheduler.</summary>
public sealed class Handoff : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "handoff",
        "One item at a time, queued by a thread that sleeps until it has ended, for 3 s (--work-ms); no truth",
        null,
        null,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Work);

    public RunSettings Defaults(bool full) => new(0, 0, 3_000);

    public void Run(WorkloadRun run)
    {
        var stopping = false;
        using var ended = new AutoResetEvent(false);
        Action<int> item = _ => ended.Set();
        var generator = new Thread(() =>
        {
            while (!Volatile.Read(ref stopping))
            {
                run.Pool.Queue(item, 0);
                ended.WaitOne();
            }
        })
        { Name = "Item generator", IsBackground = true };
        generator.Start();
        run.WaitForItsTime();
        Volatile.Write(ref stopping, true);
        generator.Join();
    }
}
