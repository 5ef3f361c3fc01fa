using System.Net;
using System.Net.Sockets;
using Poolscope.Service.Load;
using Xunit;

namespace Poolscope.Service.Tests.Live;

[Trait("live", "yes")]
[Collection(LiveCollection.Name)]
public sealed class LoadGeneratorTests
{
    private static readonly byte[] Answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"u8.ToArray();

    [Fact]
    public void A_stall_of_the_service_stops_no_request_and_is_in_every_latency()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start(backlog: 200);
        var stall = TimeSpan.FromSeconds(1);
        using var ended = new CancellationTokenSource();
        var server = new Thread(() => ServeAfter(stall, listener, ended.Token)) { IsBackground = true };
        using var generator = new LoadGenerator(new Uri($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/"));
        var intended = Arrivals.Plan(ArrivalKind.Fixed, 50, TimeSpan.FromSeconds(1), seed: 0);
        server.Start();

        var requests = generator.Run(intended, TimeSpan.FromSeconds(20));
        ended.Cancel();

        Assert.Equal(50, requests.Count);
        Assert.All(requests, r => Assert.Equal(Outcome.Ok, r.Outcome));

        // A closed loop would send one request, wait out the stall, and report 49 short latencies.
        Assert.All(requests, r => Assert.True(r.Latency >= stall - r.Intended - TimeSpan.FromMilliseconds(50), $"{r}"));
        Assert.True(LoadReport.Of(requests, stall).LatencyMs!.Mean > 400);
    }

    [Fact]
    public void What_is_not_answered_in_time_is_given_up_and_counted()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start(backlog: 200);
        using var generator = new LoadGenerator(new Uri($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/"));

        var report = LoadReport.Of(
            generator.Run(Arrivals.Plan(ArrivalKind.Fixed, 10, TimeSpan.FromSeconds(0.5), seed: 0), TimeSpan.FromSeconds(0.5)), TimeSpan.FromSeconds(0.5));

        Assert.Equal((5, 0, 5, 5), (report.Sent, report.Ok, report.Errors, report.Unanswered));
        Assert.True(report.LatencyIsLowerBound);
        Assert.True(report.LatencyMs!.Max >= 490);
    }

    private static void ServeAfter(TimeSpan stall, TcpListener listener, CancellationToken ended)
    {
        // The stall begins with the first request, so that a late start of the generator shortens no latency.
        SpinWait.SpinUntil(() => listener.Pending() || ended.IsCancellationRequested);
        Thread.Sleep(stall);
        var buffer = new byte[4096];
        while (!ended.IsCancellationRequested)
        {
            if (!listener.Pending())
            {
                Thread.Sleep(1);
                continue;
            }

            using var client = listener.AcceptSocket();
            client.Receive(buffer);
            client.Send(Answer);
            client.Shutdown(SocketShutdown.Send);
        }
    }
}
