using System.Diagnostics;
using Grpc.Core;
using Grpc.Net.Client;
using Zoo.Running;

namespace Trade.Quotes;

/// <summary>
/// Clients of the quotes service, in a process of their own: <c>real-zoo quote-clients URL Get@RATE|Watch@COUNT FROM
/// TO</c>, on four connections.
/// </summary>
internal static class QuoteClients
{
    public static int Run(string[] words)
    {
        var part = words[1].Split('@');
        var (count, from, to) = (Spoken.Number(part[1]), Spoken.Number(words[2]), Spoken.Number(words[3]));
        var clients = Enumerable.Range(0, 4).Select(_ => new Quotes.QuotesClient(GrpcChannel.ForAddress(words[0]))).ToArray();
        var log = new RequestLog();
        var clock = Stopwatch.StartNew();
        if (part[0] == "Watch")
        {
            for (var n = 0; n < count; n++)
            {
                _ = WatchAsync(clients[n % clients.Length], n, log);
            }
        }
        else
        {
            for (var (n, at) = (0, 0.0); at < to; n++, at += at < from ? 0.5 : 1 / count)
            {
                Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, at - clock.Elapsed.TotalSeconds)));
                _ = GetAsync(clients[n % clients.Length], n, log);
            }
        }

        Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, to - clock.Elapsed.TotalSeconds)));
        log.Print();
        return 0;
    }

    private static async Task GetAsync(Quotes.QuotesClient client, int paper, RequestLog log)
    {
        var asked = log.Begin("Get");
        await client.GetAsync(new QuoteRequest { Paper = paper });
        asked.End();
    }

    private static async Task WatchAsync(Quotes.QuotesClient client, int paper, RequestLog log)
    {
        using var call = client.Watch(new QuoteRequest { Paper = paper });
        var asked = log.Begin("Watch");
        await foreach (var _ in call.ResponseStream.ReadAllAsync())
        {
            asked.End();
            asked = log.Begin("Watch");
        }
    }
}
