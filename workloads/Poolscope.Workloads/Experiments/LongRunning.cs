using System.Net;
using Poolscope.Workloads.Running;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Workloads.Experiments;

/// <summary>The ticket's calls, each on a thread of its own.</summary>
public sealed class LongRunning : IWorkload
{
    public WorkloadDescription Description { get; } = new(
        "long-running",
        "Calls to a slow web service as TaskCreationOptions.LongRunning",
        "all start at once",
        Sources.LargeQueue,
        [new ExpectedVerdict("", ["healthy"])],
        Knobs.Count | Knobs.Interval | Knobs.Work);

    public bool QueuesToPool => false;

    public RunSettings Defaults(bool full) => full ? new RunSettings(1920, 0, 10_000) : new RunSettings(100, 0, 2_000);

    public void Run(WorkloadRun run)
    {
        using var server = SlowServerProcess.Start(run.Settings.Work);
        var endpoint = new IPEndPoint(IPAddress.Loopback, server.Port);
        run.StartAll(_ => BlockingRequest.Send(endpoint), DedicatedThreads.StartTask);
    }
}
