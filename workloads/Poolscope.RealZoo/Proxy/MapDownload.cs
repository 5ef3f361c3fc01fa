using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using Real.Running;
using Zoo.Running;

namespace Maps.Download;

/// <summary>A download of 6 MB to clients that take a megabyte a second. Behind nginx, which takes it at once, the
/// program waits for no client.</summary>
internal static class MapDownload
{
    private const int Length = 6_000_000;

    public static void SlowClients(Stage stage) => Serve(stage, null);

    public static void BehindNginx(Stage stage) => Serve(stage, Servers.NginxBack);

    private static void Serve(Stage stage, string? back)
    {
        var builder = Site.NewBuilder();
        if (back is not null)
        {
            builder.WebHost.UseUrls(back);
        }

        var map = new byte[Length];
        var app = builder.Build();
        app.MapGet("/maps/{tile:int}", async (int tile, HttpResponse response) =>
        {
            response.ContentLength = Length;
            for (var at = 0; at < Length; at += 100_000)
            {
                await response.Body.WriteAsync(map.AsMemory(at, 100_000));
            }
        });
        app.MapGet("/index", async () =>
        {
            await Task.Delay(2);
            return "3 maps";
        });
        app.Start();
        var url = back is null ? app.Urls.First() : Servers.NginxFront;
        Child.Clients(stage, url, "/index@10@0@end");
        Child.Start("downloads", url, Spoken.Of(stage.Onset - stage.Now), Spoken.Of(stage.LoadEnd - stage.Now - 0.4));
    }

    /// <summary>Starts one download each second: <c>real-zoo downloads URL FROM TO</c>.</summary>
    public static int Run(string[] words)
    {
        var url = new Uri(words[0]);
        var log = new RequestLog();
        var clock = Stopwatch.StartNew();
        for (var at = Spoken.Number(words[1]); at < Spoken.Number(words[2]) - 1; at++)
        {
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, at - clock.Elapsed.TotalSeconds)));
            new Thread(() => Download(url, log)) { IsBackground = true }.Start();
        }

        Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, Spoken.Number(words[2]) - clock.Elapsed.TotalSeconds)));
        log.Print();
        return 0;
    }

    private static void Download(Uri url, RequestLog log)
    {
        using var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 64 * 1024 };
        socket.Connect(url.Host, url.Port);
        var asked = log.Begin("/maps/4");
        socket.Send(Encoding.ASCII.GetBytes($"GET /maps/4 HTTP/1.1\r\nHost: {url.Authority}\r\nConnection: close\r\n\r\n"));
        var buffer = new byte[50_000];
        var taken = 0;
        while (socket.Receive(buffer) is var got && got > 0)
        {
            taken += got;
            Thread.Sleep(got / 1000);
        }

        if (taken >= Length)
        {
            asked.End();
        }
    }
}
