using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net.WebSockets;
using System.Text;
using System.Text.Json;

namespace Zoo.Running;

/// <summary>
/// Clients of a SignalR hub, in a process of their own: <c>zoo hub-clients URL SECONDS CONNECTIONS CALL...</c>. They
/// implement the JSON protocol themselves. A call is <c>METHOD@RATE@FROM@TO</c>, on each connection, or
/// <c>METHOD@RATE@FROM@TO@first</c>, on the first only. Times are in seconds since the clients' start.
/// </summary>
internal static class HubClient
{
    private const char End = '\u001e';

    /// <summary>Starts the clients of a program's hub.</summary>
    public static void Start(Stage stage, string url, int connections, params string[] calls) =>
        Child.Start(["hub-clients", url, Spoken.Of(stage.LoadEnd - stage.Now - 0.4), connections.ToString(), .. calls]);

    /// <summary>Calls until the time is over, then writes a line about the answers.</summary>
    public static int Run(string[] words)
    {
        var seconds = Spoken.Number(words[1]);
        var log = new RequestLog();
        var all = Enumerable.Range(0, int.Parse(words[2])).Select(n => ConnectionAsync(words[0], n, words[3..], seconds, log));
        Task.WaitAll([.. all], TimeSpan.FromSeconds(seconds));
        log.Print();
        return 0;
    }

    private static async Task ConnectionAsync(string url, int number, string[] calls, double seconds, RequestLog log)
    {
        using var socket = new ClientWebSocket();
        await socket.ConnectAsync(new Uri(url.Replace("http:", "ws:", StringComparison.Ordinal)), CancellationToken.None);
        await SendAsync(socket, """{"protocol":"json","version":1}""");
        var open = new ConcurrentDictionary<string, RequestLog.Entry>();
        _ = ReadAsync(socket, open);
        var clock = Stopwatch.StartNew();
        var due = calls.SelectMany(call => Due(call, number)).Where(d => d.At < seconds).OrderBy(d => d.At).ToArray();
        for (var n = 0; n < due.Length; n++)
        {
            var early = due[n].At - clock.Elapsed.TotalSeconds;
            if (early > 0)
            {
                await Task.Delay(TimeSpan.FromSeconds(early));
            }

            open[n.ToString()] = log.Begin(due[n].Method);
            await SendAsync(socket, $$"""{"type":1,"invocationId":"{{n}}","target":"{{due[n].Method}}","arguments":[{{number}}]}""");
        }

        await Task.Delay(TimeSpan.FromSeconds(Math.Max(0, seconds - clock.Elapsed.TotalSeconds)));
    }

    private static IEnumerable<(double At, string Method)> Due(string call, int connection)
    {
        var part = call.Split('@');
        if (part.Length > 4 && connection > 0)
        {
            return [];
        }

        var (rate, from, to) = (Spoken.Number(part[1]), Spoken.Number(part[2]), Spoken.Number(part[3]));
        return Enumerable.Range(0, (int)((to - from) * rate)).Select(n => (from + n / rate, part[0]));
    }

    private static ValueTask SendAsync(ClientWebSocket socket, string message) =>
        socket.SendAsync(Encoding.UTF8.GetBytes(message + End).AsMemory(), WebSocketMessageType.Text, true, CancellationToken.None);

    private static async Task ReadAsync(ClientWebSocket socket, ConcurrentDictionary<string, RequestLog.Entry> open)
    {
        var buffer = new byte[4096];
        var text = new StringBuilder();
        try
        {
            while (true)
            {
                var got = await socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None);
                foreach (var letter in Encoding.UTF8.GetString(buffer, 0, got.Count))
                {
                    if (letter != End)
                    {
                        text.Append(letter);
                        continue;
                    }

                    using var message = JsonDocument.Parse(text.ToString());
                    text.Clear();
                    if (message.RootElement.TryGetProperty("invocationId", out var id) && open.TryRemove(id.GetString()!, out var entry))
                    {
                        entry.End();
                    }
                }
            }
        }
        catch (WebSocketException)
        {
            // The program has ended.
        }
    }
}
