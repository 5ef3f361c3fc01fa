using System.Net;
using Poolscope.Workloads.Running;
using Poolscope.Workloads.SlowService;

namespace Poolscope.Workloads.Experiments;

/// <summary>The customer's ticket: many items, each a call to a slow web service, all queued at once to a pool with
/// practically no maximum. The pool starts few threads and adds about one a second.</summary>
public sealed class Ticket : IWorkload
{
    // The settings of the customer's pool.
    private const int CustomerMinThreads = 40;
    private const int CustomerMaxThreads = 32767;

    public WorkloadDescription Description { get; } = new(
        "ticket",
        "Items that call a slow web service: the last one starts minutes after it was queued",
        "an item starts 8 minutes after it was queued",
        Sources.LargeQueue,
        [
            new ExpectedVerdict("client socket", ["injection-delay"]),
            new ExpectedVerdict("client http-send or http-result", ["sync-over-async"]),
            new ExpectedVerdict("client async", ["healthy"]),
        ],
        Knobs.Items | Knobs.Client);

    /// <remarks>Full: 1,920 calls of 10 s are 480 s of work for each of 40 threads, the customer's eight minutes, if
    /// the pool adds none. The pool of .NET 10 adds some: on 2 cores it had 63 at the end, and the last item waited
    /// 310 s. With 3,200 calls it waits for the published eight minutes (measured: 513 s, 62 threads).
    /// Scaled: a tenth of the customer's minimum, and enough items that the last one waits for about 20 s.</remarks>
    public RunSettings Defaults(bool full) => full
        ? new RunSettings(3200, 0, 10_000, CustomerMinThreads, CustomerMaxThreads, ClientKind.Socket)
        : new RunSettings(100, 0, 2_000, CustomerMinThreads / 10, CustomerMaxThreads, ClientKind.Socket);

    public void Run(WorkloadRun run)
    {
        using var server = SlowServerProcess.Start(run.Settings.Work);
        var kind = run.Settings.Client ?? ClientKind.Socket;
        if (kind == ClientKind.Socket)
        {
            var endpoint = new IPEndPoint(IPAddress.Loopback, server.Port);
            run.QueueAll(_ => BlockingRequest.Send(endpoint));
            return;
        }

        using var http = Http();
        var service = new Uri($"http://127.0.0.1:{server.Port}/");

        // The customer's process had run for a long time, so the first call, which compiles the client, is not an item.
        Send(http, service);
        switch (kind)
        {
            case ClientKind.HttpSend:
                run.QueueAll(_ => Send(http, service));
                break;
            case ClientKind.HttpResult:
                run.QueueAll(_ => Check(http.GetAsync(service).Result));
                break;
            default:
                run.QueueAll(async _ => Check(await http.GetAsync(service).ConfigureAwait(false)));
                break;
        }
    }

    private static HttpClient Http() => new(new SocketsHttpHandler { UseProxy = false })
    {
        // A timeout would be a timer per call, and timers are work items too.
        Timeout = Timeout.InfiniteTimeSpan,
    };

    private static void Send(HttpClient http, Uri service)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, service);
        Check(http.Send(request));
    }

    private static void Check(HttpResponseMessage answer)
    {
        using (answer)
        {
            answer.EnsureSuccessStatusCode();
        }
    }
}
