using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Experiments;

/// <summary>Empty items at the rate of a busy service.</summary>
public sealed class Paced : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "paced",
        "Items that do nothing, 10,000 a second (--rate), for 3 s (--work-ms); no truth",
        null,
        null,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Work | Knobs.Rate);

    public RunSettings Defaults(bool full) => new(0, 0, 3_000, Rate: 10_000);

    public void Run(WorkloadRun run)
    {
        Action<int> item = static _ => { };
        var rate = run.Settings.Rate ?? throw new InvalidOperationException("paced has a rate by default");
        var stopping = false;
        var generator = new Thread(() =>
        {
            // Queues all items of a millisecond at once, for the reason in Pacer's remarks.
            for (var queued = 0L; !Volatile.Read(ref stopping);)
            {
                for (var due = (long)(run.Elapsed.TotalSeconds * rate); queued < due; queued++)
                {
                    run.Pool.Queue(item, 0);
                }

                Thread.Sleep(1);
            }
        })
        { Name = "Item generator", IsBackground = true };
        generator.Start();
        run.WaitForItsTime();
        Volatile.Write(ref stopping, true);
        generator.Join();
    }
}
