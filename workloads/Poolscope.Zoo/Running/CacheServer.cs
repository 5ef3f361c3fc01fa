using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Zoo.Running;

/// <summary>
/// A cache in a process of its own: <c>zoo cache SECONDS</c>. It writes its port, and answers each line <c>GET KEY</c>
/// with a line, in order, however many lines came at once. A key that begins with <c>audit:</c> takes 20 ms.
/// </summary>
internal static class CacheServer
{
    /// <summary>Starts the cache, and returns its process and its port.</summary>
    public static (Process Server, int Port) Start(Stage stage)
    {
        var child = Child.Start("cache", Spoken.Of(stage.Seconds - stage.Now + 5));
        return (child, int.Parse(child.StandardOutput.ReadLine()!));
    }

    /// <summary>Listens until the time is over.</summary>
    public static int Run(double seconds)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Console.WriteLine(((IPEndPoint)listener.LocalEndpoint).Port);
        new Thread(() =>
        {
            while (true)
            {
                var client = listener.AcceptTcpClient();
                new Thread(() => Serve(client)) { IsBackground = true }.Start();
            }
        })
        { IsBackground = true }.Start();
        Thread.Sleep(TimeSpan.FromSeconds(seconds));
        return 0;
    }

    private static void Serve(TcpClient client)
    {
        client.NoDelay = true;
        using var stream = client.GetStream();
        using var reader = new StreamReader(stream);
        using var writer = new StreamWriter(stream) { AutoFlush = true, NewLine = "\n" };
        try
        {
            while (reader.ReadLine() is { } line)
            {
                if (line.StartsWith("GET audit:", StringComparison.Ordinal))
                {
                    Thread.Sleep(20); // otherwise the answer may arrive before the program awaits it
                }

                writer.WriteLine($"VALUE {line.Length}");
            }
        }
        catch (IOException)
        {
            // The program has ended.
        }
    }
}
