using System.Diagnostics;
using System.Globalization;

/// <summary>Calls that HttpClient reports badly: those that began before the recording, and those that contain another
/// call.</summary>
internal static class InnerCalls
{
    private const int Held = 5;
    private static readonly TimeSpan Apart = TimeSpan.FromSeconds(0.1);

    /// <summary>Begins five calls that the server answers one by one after a line on standard input, and one that it
    /// never answers. Then prints ready and calls its own server, one call after the other, until the time is over. The
    /// handler fetches a token for each of these calls.</summary>
    /// <param name="log">Path of the log of calls: path, begin and end in ns of the monotonic clock, status.</param>
    public static async Task Run(long until, string log)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.MapGet("/token", async () =>
        {
            await Task.Delay(5);
            return "token";
        });
        app.MapGet("/orders/{number}", async (int number) =>
        {
            await Task.Delay(20);
            return Results.Ok(number);
        });
        var line = Task.Factory.StartNew(Console.In.ReadLine, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        app.MapGet("/held/{number}", async (int number) =>
        {
            await line;
            await Task.Delay(number < 0 ? Timeout.InfiniteTimeSpan : number * Apart);
            return Results.Ok(number);
        });
        await app.StartAsync();
        var server = new Uri(app.Urls.First());
        await using var written = new StreamWriter(log) { AutoFlush = true };
        using var plain = new HttpClient();
        using var handler = new TokenHandler(plain, new Uri(server, "/token")) { InnerHandler = new SocketsHttpHandler() };
        using var client = new HttpClient(handler);
        var held = Enumerable.Range(0, Held).Select(number => Ask(plain, $"/held/{number}")).ToList();
        _ = Ask(plain, "/held/-1");
        await Task.Delay(500);
        Console.WriteLine("ready");
        for (var n = 0; Environment.TickCount64 < until; n++)
        {
            await Ask(client, $"/orders/{n}");
        }

        await Task.WhenAll(held);

        async Task Ask(HttpClient by, string path)
        {
            var begin = Stopwatch.GetTimestamp();
            using var answer = await by.GetAsync(new Uri(server, path));
            var row = string.Create(CultureInfo.InvariantCulture, $"{path},{begin},{Stopwatch.GetTimestamp()},{(int)answer.StatusCode}");
            lock (written)
            {
                written.WriteLine(row);
            }
        }
    }

    private sealed class TokenHandler(HttpClient tokens, Uri from) : DelegatingHandler
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            request.Headers.Authorization = new("Bearer", await tokens.GetStringAsync(from, cancellationToken));
            return await base.SendAsync(request, cancellationToken);
        }
    }
}
