using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Zoo.Running;

/// <summary>
/// The service that a program calls, in a process of its own: <c>zoo remote SECONDS DELAY SLOW ONSET</c>. It writes its
/// address and answers every request after DELAY ms, or after SLOW ms from ONSET seconds on.
/// </summary>
internal static class RemoteService
{
    private static readonly byte[] Answer = Encoding.ASCII.GetBytes(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"stock\":  42}");

    /// <summary>Listens until the time is over.</summary>
    public static int Run(string[] words)
    {
        var clock = Stopwatch.StartNew();
        var (delay, slow, onset) = (Spoken.Number(words[1]), Spoken.Number(words[2]), Spoken.Number(words[3]));
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start(1000);
        _ = AcceptAsync(listener, () => TimeSpan.FromMilliseconds(clock.Elapsed.TotalSeconds < onset ? delay : slow));
        Console.WriteLine($"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/");
        Thread.Sleep(TimeSpan.FromSeconds(Spoken.Number(words[0])));
        return 0;
    }

    private static async Task AcceptAsync(TcpListener listener, Func<TimeSpan> delay)
    {
        while (true)
        {
            _ = ServeAsync(await listener.AcceptTcpClientAsync(), delay);
        }
    }

    private static async Task ServeAsync(TcpClient client, Func<TimeSpan> delay)
    {
        using (client)
        {
            try
            {
                client.NoDelay = true;
                var stream = client.GetStream();
                using var reader = new StreamReader(stream, Encoding.ASCII, false, 1024, leaveOpen: true);
                while (await reader.ReadLineAsync() is not null)
                {
                    while (!string.IsNullOrEmpty(await reader.ReadLineAsync()))
                    {
                    }

                    await Task.Delay(delay());
                    await stream.WriteAsync(Answer);
                }
            }
            catch (IOException)
            {
                // The caller has gone.
            }
        }
    }
}
