using System.Net;
using System.Net.Sockets;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Live;
using Prometheus;

namespace Poolscope.Collect.Metrics;

/// <summary>Serves the latest state at /metrics: as OpenMetrics if the client accepts that, else as Prometheus text. It
/// answers one request at a time.</summary>
/// <remarks>It does not answer a request for another host than the address. So a web page learns nothing by making a
/// browser resolve the page's own name to 127.0.0.1.</remarks>
internal sealed class MetricsEndpoint : IAsyncDisposable
{
    private const string Path = "/metrics";

    /// <summary>The limit for an answer of a few kilobytes.</summary>
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(5);

    private readonly HttpListener _listener;
    private readonly StateBoard _board;
    private readonly CancellationTokenSource _end = new();
    private readonly Task _serving;

    private MetricsEndpoint(HttpListener listener, StateBoard board)
    {
        (_listener, _board) = (listener, board);
        _serving = ServeAsync();
    }

    /// <exception cref="CommandException">The address is in use, is not this machine's, or may not be used.</exception>
    public static MetricsEndpoint Start(MetricsAddress address, StateBoard board)
    {
        // People type localhost. If this machine cannot serve that name, it serves the address alone.
        return (IPAddress.IsLoopback(address.Address) ? TryStart(board, address.Prefix, $"http://localhost:{address.Port}/") : null)
            ?? TryStart(board, address.Prefix)
            ?? throw new CommandException(ExitCode.Usage, $"--metrics: {address.Url} cannot be served: {Why(address)}; choose another port or address");
    }

    public async ValueTask DisposeAsync()
    {
        // Stopping the listener does not always end a wait for a request.
        await _end.CancelAsync().ConfigureAwait(false);
        await _serving.ConfigureAwait(false);
        _listener.Close();
        _end.Dispose();
    }

    private static MetricsEndpoint? TryStart(StateBoard board, params string[] prefixes)
    {
        var listener = new HttpListener();
        try
        {
            foreach (var prefix in prefixes)
            {
                listener.Prefixes.Add(prefix);
            }

            listener.Start();
            return new MetricsEndpoint(listener, board);
        }
        catch (Exception e) when (e is HttpListenerException or SocketException or NotSupportedException)
        {
            listener.Close();
            return null;
        }
    }

    /// <summary>Returns the reason in the system's words: the listener's own message may say nothing.</summary>
    private static string Why(MetricsAddress address)
    {
        try
        {
            using var socket = new Socket(address.Address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
            socket.Bind(new IPEndPoint(address.Address, address.Port));
            return "the address was refused";
        }
        catch (SocketException e)
        {
            return e.Message;
        }
    }

    private async Task ServeAsync()
    {
        while (!_end.IsCancellationRequested && _listener.IsListening)
        {
            try
            {
                var context = await _listener.GetContextAsync().WaitAsync(_end.Token).ConfigureAwait(false);
                await AnswerAsync(context).ConfigureAwait(false);
            }
            catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or InvalidOperationException or IOException or OperationCanceledException)
            {
                // The endpoint ended, or the client went away.
            }
        }
    }

    private async Task AnswerAsync(HttpListenerContext context)
    {
        using var response = context.Response;
        var method = context.Request.HttpMethod;
        if (context.Request.Url?.AbsolutePath != Path || method is not ("GET" or "HEAD"))
        {
            response.StatusCode = (int)(context.Request.Url?.AbsolutePath == Path ? HttpStatusCode.MethodNotAllowed : HttpStatusCode.NotFound);
            return;
        }

        var open = context.Request.Headers["Accept"]?.Contains("application/openmetrics-text", StringComparison.OrdinalIgnoreCase) ?? false;
        using var cancel = new CancellationTokenSource(AnswerTimeout);
        using var text = new MemoryStream();
        await StateMetrics.WriteAsync(_board.Latest, text, open ? ExpositionFormat.OpenMetricsText : ExpositionFormat.PrometheusText, cancel.Token).ConfigureAwait(false);
        response.ContentType = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8";
        response.ContentLength64 = text.Length;
        if (method == "GET")
        {
            await response.OutputStream.WriteAsync(text.GetBuffer().AsMemory(0, (int)text.Length), cancel.Token).ConfigureAwait(false);
        }
    }
}
