using System.Diagnostics;
using System.Globalization;

/// <summary>Calls through HttpClient, each logged by the program's own clock. Tests compare the rows of calls with the
/// log.</summary>
internal static class Calls
{
    private const int Callers = 6;

    /// <summary>Calls its own server in six loops until the time is over. With two connections, a call spends two
    /// thirds of its time waiting for one. Also calls a path that does not exist, and a port on which nothing
    /// listens.</summary>
    /// <param name="connections">The most connections of the client.</param>
    /// <param name="log">Path of the log of calls: path, begin and end in ns of the monotonic clock, status (0:
    /// none).</param>
    public static async Task Run(long until, int connections, string log)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.MapGet("/orders/{number}", async (int number) =>
        {
            await Task.Delay(20);
            return Results.Ok(number);
        });
        await app.StartAsync();
        var server = new Uri(app.Urls.First());
        using var client = new HttpClient(new SocketsHttpHandler { MaxConnectionsPerServer = connections });
        await using var written = new StreamWriter(log) { AutoFlush = true };
        Console.WriteLine("ready");
        await Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Repeat(caller)));

        async Task Repeat(int caller)
        {
            for (var n = caller; Environment.TickCount64 < until; n += Callers)
            {
                await Ask(new Uri(server, $"/orders/{n}?customer=secret"), synchronous: caller == 0);
                if (n % 20 == 1)
                {
                    await Ask(new Uri(server, "/missing"), synchronous: false);
                    await Ask(new Uri("http://localhost:1/nobody"), synchronous: false);
                }
            }
        }

        async Task Ask(Uri uri, bool synchronous)
        {
            var (begin, status) = (Stopwatch.GetTimestamp(), 0);
            try
            {
                using var question = new HttpRequestMessage(HttpMethod.Get, uri);
                using var answer = synchronous ? await Task.Run(() => client.Send(question)) : await client.SendAsync(question);
                status = (int)answer.StatusCode;
            }
            catch (HttpRequestException)
            {
            }

            var row = string.Create(CultureInfo.InvariantCulture, $"{uri.AbsolutePath},{begin},{Stopwatch.GetTimestamp()},{status}");
            lock (written)
            {
                written.WriteLine(row);
            }
        }
    }
}
