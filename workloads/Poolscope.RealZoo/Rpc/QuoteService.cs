using Grpc.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Zoo.Running;

namespace Trade.Quotes;

/// <summary>A gRPC service and its clients.</summary>
internal static class QuoteServer
{
    /// <summary>Unary calls that block on a task for half a second.</summary>
    public static void Blocking(Stage stage) => Serve<BlockingQuotes>(stage, "Get@80");

    /// <summary>Unary calls that await 5 ms.</summary>
    public static void Awaited(Stage stage) => Serve<AwaitedQuotes>(stage, "Get@60");

    /// <summary>Twenty streams of ten quotes a second.</summary>
    public static void Streams(Stage stage) => Serve<AwaitedQuotes>(stage, "Watch@20");

    private static void Serve<T>(Stage stage, string load)
        where T : Quotes.QuotesBase
    {
        var builder = Site.NewBuilder();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.ConfigureEndpointDefaults(e => e.Protocols = HttpProtocols.Http2));
        builder.Services.AddGrpc();
        var app = builder.Build();
        app.MapGrpcService<T>();
        app.Start();
        Child.Start("quote-clients", app.Urls.First(), load, Spoken.Of(stage.Onset - stage.Now), Spoken.Of(stage.LoadEnd - stage.Now - 0.4));
    }
}

internal sealed class BlockingQuotes : Quotes.QuotesBase
{
    public override Task<Quote> Get(QuoteRequest request, ServerCallContext context)
    {
        var quote = PriceAsync(request.Paper).Result;
        return Task.FromResult(quote);
    }

    private static async Task<Quote> PriceAsync(int paper)
    {
        await Task.Delay(500);
        return new Quote { Paper = paper, Price = 1.5 };
    }
}

internal sealed class AwaitedQuotes : Quotes.QuotesBase
{
    public override async Task<Quote> Get(QuoteRequest request, ServerCallContext context)
    {
        await Task.Delay(5);
        return new Quote { Paper = request.Paper, Price = 1.5 };
    }

    public override async Task Watch(QuoteRequest request, IServerStreamWriter<Quote> quotes, ServerCallContext context)
    {
        for (var n = 0; !context.CancellationToken.IsCancellationRequested; n++)
        {
            await quotes.WriteAsync(new Quote { Paper = request.Paper, Price = n });
            await Task.Delay(100, context.CancellationToken);
        }
    }
}
