using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Poolscope.Workloads.SlowService;

/// <summary>An HTTP server that gives every request the same late answer. It never holds a thread for a request, so
/// each request gets its answer in time, however many wait at once: it is slow, but never a bottleneck.</summary>
public sealed class SlowServer : IDisposable
{
    // The system reduces it to net.core.somaxconn; the customer's run has 1,920 clients, which may all come at once.
    private const int Backlog = 4096;

    // Longer than any request of our clients.
    private const int LargestRequest = 4096;

    private static readonly byte[] Answer =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlate\n"u8.ToArray();

    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly TimeSpan _delay;
    private readonly SlowSpell? _spell;
    private long _firstRequest;

    /// <summary>Listens on a free loopback port.</summary>
    /// <param name="delay">Time from a request's arrival to its answer.</param>
    /// <param name="spell">The time in which that takes longer; null for none.</param>
    public SlowServer(TimeSpan delay, SlowSpell? spell = null)
    {
        (_delay, _spell) = (delay, spell);
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(Backlog);
    }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    /// <summary>Accepts connections until disposed.</summary>
    public async Task ServeAsync()
    {
        while (true)
        {
            Socket client;
            try
            {
                client = await _listener.AcceptAsync().ConfigureAwait(false);
            }
            catch (Exception e) when (e is ObjectDisposedException or SocketException { SocketErrorCode: SocketError.OperationAborted })
            {
                return;
            }

            _ = AnswerAsync(client);
        }
    }

    public void Dispose() => _listener.Dispose();

    private async Task AnswerAsync(Socket client)
    {
        using (client)
        {
            try
            {
                if (await ReadRequestAsync(client).ConfigureAwait(false))
                {
                    await Task.Delay(DelayNow()).ConfigureAwait(false);
                    await client.SendAsync(Answer).ConfigureAwait(false);
                    client.Shutdown(SocketShutdown.Send);
                }
            }
            catch (SocketException)
            {
                // The client has gone, so the answer is dropped.
            }
        }
    }

    private TimeSpan DelayNow()
    {
        if (_spell is null)
        {
            return _delay;
        }

        var now = Stopwatch.GetTimestamp();
        var first = Interlocked.CompareExchange(ref _firstRequest, now, 0);
        var since = Stopwatch.GetElapsedTime(first == 0 ? now : first, now);
        return since >= _spell.After && since < _spell.After + _spell.Lasts ? _delay * _spell.Times : _delay;
    }

    /// <returns>False if the client closed before the request was complete, or if the request is not one of
    /// ours.</returns>
    private static async Task<bool> ReadRequestAsync(Socket client)
    {
        var request = new byte[LargestRequest];
        for (var length = 0; length < request.Length;)
        {
            var received = await client.ReceiveAsync(request.AsMemory(length)).ConfigureAwait(false);
            if (received == 0)
            {
                return false;
            }

            length += received;
            if (request.AsSpan(0, length).EndsWith("\r\n\r\n"u8))
            {
                return true;
            }
        }

        return false;
    }
}
