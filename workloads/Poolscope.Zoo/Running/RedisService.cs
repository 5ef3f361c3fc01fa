using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Zoo.Running;

/// <summary>
/// A key-value service that speaks enough of Redis's protocol, in a process of its own: <c>zoo redis SECONDS DELAY SLOW ONSET</c>.
/// It writes its address. GET is answered after DELAY ms, from ONSET seconds on after SLOW ms; other commands at once.
/// </summary>
internal static class RedisService
{
    /// <summary>Listens until the time is over.</summary>
    public static int Run(string[] words)
    {
        var clock = Stopwatch.StartNew();
        var (delay, slow, onset) = (Spoken.Number(words[1]), Spoken.Number(words[2]), Spoken.Number(words[3]));
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        _ = AcceptAsync(listener, () => TimeSpan.FromMilliseconds(clock.Elapsed.TotalSeconds < onset ? delay : slow));
        Console.WriteLine($"127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}");
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

    /// <summary>Answers in the order of the commands, as the protocol has it; each at its own time.</summary>
    private static async Task ServeAsync(TcpClient client, Func<TimeSpan> delay)
    {
        using (client)
        {
            try
            {
                client.NoDelay = true;
                var stream = client.GetStream();
                using var reader = new StreamReader(stream, Encoding.Latin1, false, 4096, leaveOpen: true);
                var last = Task.CompletedTask;
                while (await ReadCommandAsync(reader) is { } words)
                {
                    var wait = words[0] == "GET" ? Task.Delay(delay()) : Task.CompletedTask;
                    last = AnswerAsync(last, wait, stream, AnswerTo(words));
                }
            }
            catch (IOException)
            {
                // The caller is gone.
            }
        }
    }

    private static async Task AnswerAsync(Task before, Task wait, Stream stream, string answer)
    {
        await Task.WhenAll(before, wait);
        await stream.WriteAsync(Encoding.Latin1.GetBytes(answer));
    }

    private static async Task<string[]?> ReadCommandAsync(StreamReader reader)
    {
        if (await reader.ReadLineAsync() is not ['*', .. var count])
        {
            return null;
        }

        var words = new string[int.Parse(count, System.Globalization.CultureInfo.InvariantCulture)];
        for (var n = 0; n < words.Length; n++)
        {
            var length = (await reader.ReadLineAsync() ?? "$0")[1..];
            var word = new char[int.Parse(length, System.Globalization.CultureInfo.InvariantCulture) + 2];
            await reader.ReadBlockAsync(word);
            words[n] = new string(word, 0, word.Length - 2); // it may be binary
        }

        words[0] = words[0].ToUpperInvariant();
        return words;
    }

    private static string AnswerTo(string[] words) => words switch
    {
        ["PING", ..] => "+PONG\r\n",
        ["ECHO", var text, ..] => $"${text.Length}\r\n{text}\r\n",
        ["GET", ..] => "$2\r\n42\r\n",
        ["CLIENT", ..] => "+OK\r\n",
        _ => "-ERR unknown command\r\n",
    };
}
