using System.Diagnostics;

namespace Zoo.Running;

/// <summary>
/// The clients of a web program, in a process of their own: <c>zoo client URL SECONDS [until-answered] PHASE...</c>. A
/// phase is <c>PATH@RATE@FROM@TO</c> (requests per second, at an even rate, whether or not answers come) or
/// <c>PATH@xCOUNT@FROM</c> (this many at once). Times are in seconds since the clients' start; TO may be <c>end</c>.
/// </summary>
internal static class LoadClient
{
    /// <summary>The word that makes the clients end as soon as every request has its answer.</summary>
    public const string UntilAnswered = "until-answered";

    /// <summary>Sends until the time is over, then writes a line about the answers and a line of JSON.</summary>
    public static int Run(string[] words)
    {
        var seconds = Spoken.Number(words[1]);
        using var http = new HttpClient(new SocketsHttpHandler { PooledConnectionLifetime = Timeout.InfiniteTimeSpan })
        {
            BaseAddress = new Uri(words[0]),
        };
        var log = new RequestLog();
        var sent = new List<Task>();
        var patient = words[2] != UntilAnswered;
        var clock = Stopwatch.StartNew();
        var due = words[(patient ? 2 : 3)..].SelectMany(w => Due(w, seconds)).OrderBy(d => d.At).ToArray();
        foreach (var (at, path) in due)
        {
            var early = at - clock.Elapsed.TotalSeconds;
            if (early > 0)
            {
                Thread.Sleep(TimeSpan.FromSeconds(early));
            }

            sent.Add(SendAsync(http, path, log));
        }

        var left = TimeSpan.FromSeconds(Math.Max(0, seconds - clock.Elapsed.TotalSeconds));
        if (patient)
        {
            Thread.Sleep(left);
        }
        else
        {
            Task.WaitAll([.. sent], left);
        }

        log.Print();
        return 0;
    }

    private static IEnumerable<(double At, string Path)> Due(string phase, double seconds)
    {
        var part = phase.Split('@');
        var from = Spoken.Number(part[2]);
        if (part[1][0] == 'x')
        {
            return Enumerable.Repeat((from, part[0]), int.Parse(part[1][1..]));
        }

        var rate = Spoken.Number(part[1]);
        var to = part[3] == "end" ? seconds : Spoken.Number(part[3]);
        return Enumerable.Range(0, Math.Max(0, (int)((to - from) * rate))).Select(n => (from + n / rate, part[0]));
    }

    private static async Task SendAsync(HttpClient http, string path, RequestLog log)
    {
        var entry = log.Begin(path);
        try
        {
            await http.GetStringAsync(path);
            entry.End();
        }
        catch (Exception e) when (e is HttpRequestException or TaskCanceledException)
        {
            // The program ended or never answered, as some programs do.
        }
    }
}
