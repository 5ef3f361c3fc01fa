using System.Net;
using Zoo.Running;

namespace Freight.Rates;

/// <summary>
/// Fetches 400 rates at once over HTTP/2 on one connection. The service takes a hundred requests at a time on a
/// connection and needs a second for each.
/// </summary>
internal static class RateFetcher
{
    public static void Run(Stage stage) => Fetch(stage, delayMs: 1000, more: false, lots: 400, every: 6);

    public static void Shared(Stage stage) => Fetch(stage, delayMs: 100, more: true, lots: 240, every: 2);

    private static void Fetch(Stage stage, int delayMs, bool more, int lots, double every)
    {
        var http = new HttpClient(new SocketsHttpHandler { EnableMultipleHttp2Connections = more })
        {
            BaseAddress = StreamServer.Start(stage, delayMs, limit: 100),
            DefaultRequestVersion = HttpVersion.Version20,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Timeout = TimeSpan.FromMinutes(1),
        };
        var log = new RequestLog();
        stage.Pace(5, n => _ = RateAsync(http, n, log), to: stage.Onset);
        for (var next = stage.Onset; next < stage.LoadEnd - 5; next += every)
        {
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, next - stage.Now)));
            for (var lane = 0; lane < lots; lane++)
            {
                _ = RateAsync(http, lane, log);
            }
        }

        Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, stage.LoadEnd - 0.4 - stage.Now)));
        log.Print();
    }

    private static async Task<int> RateAsync(HttpClient http, int lane, RequestLog log)
    {
        var asked = log.Begin($"rates/{lane}");
        var rate = await http.GetStringAsync($"rates/{lane}");
        asked.End();
        return int.Parse(rate);
    }
}
