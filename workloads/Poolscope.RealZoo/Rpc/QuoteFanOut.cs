using Grpc.Net.Client;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Zoo.Running;

namespace Trade.Fan;

/// <summary>A worker that requests 300 quotes at once from a gRPC service over one channel, which takes a hundred calls
/// at a time. Another worker requests thirty.</summary>
internal static class QuoteFanOut
{
    public static void Run(Stage stage) =>
        Ask(stage, papers: 300, delayMs: 1000, every: 5, new GrpcChannelOptions { HttpHandler = new SocketsHttpHandler() });

    public static void Few(Stage stage) => Ask(stage, papers: 30, delayMs: 50, every: 1, new GrpcChannelOptions());

    private static void Ask(Stage stage, int papers, int delayMs, double every, GrpcChannelOptions options)
    {
        var server = Child.Start("quote-server", Spoken.Of(stage.Seconds - stage.Now + 5), delayMs.ToString());
        var client = new Trade.Quotes.Quotes.QuotesClient(GrpcChannel.ForAddress(server.StandardOutput.ReadLine()!, options));
        var log = new RequestLog();
        stage.Pace(4, n => _ = AskAsync(client, n, log), to: stage.Onset);
        for (var next = stage.Onset; next < stage.LoadEnd - 4; next += every)
        {
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, next - stage.Now)));
            for (var paper = 0; paper < papers; paper++)
            {
                _ = AskAsync(client, paper, log);
            }
        }

        Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, stage.LoadEnd - 0.4 - stage.Now)));
        log.Print();
    }

    private static async Task AskAsync(Trade.Quotes.Quotes.QuotesClient client, int paper, RequestLog log)
    {
        var asked = log.Begin("Get");
        await client.GetAsync(new Trade.Quotes.QuoteRequest { Paper = paper });
        asked.End();
    }

    /// <summary>Serves quotes: <c>real-zoo quote-server SECONDS DELAY</c>. Writes its address.</summary>
    public static int Serve(string[] words)
    {
        var builder = Site.NewBuilder();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.ConfigureEndpointDefaults(e => e.Protocols = HttpProtocols.Http2));
        builder.Services.AddGrpc();
        var app = builder.Build();
        SlowQuotes.DelayMs = int.Parse(words[1]);
        app.MapGrpcService<SlowQuotes>();
        app.Start();
        Console.WriteLine(app.Urls.First());
        Thread.Sleep(TimeSpan.FromSeconds(Spoken.Number(words[0])));
        return 0;
    }
}

internal sealed class SlowQuotes : Trade.Quotes.Quotes.QuotesBase
{
    public static int DelayMs { get; set; }

    public override async Task<Trade.Quotes.Quote> Get(Trade.Quotes.QuoteRequest request, Grpc.Core.ServerCallContext context)
    {
        await Task.Delay(DelayMs);
        return new Trade.Quotes.Quote { Paper = request.Paper, Price = 2 };
    }
}
