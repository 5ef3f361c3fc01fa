using System.Diagnostics;
using System.Net;
using System.Net.Security;

namespace Poolscope.Service.Load;

/// <summary>Sends requests at set times, whether or not earlier ones have ended. No request holds a thread, and each
/// opens a connection if none is free.</summary>
public sealed class LoadGenerator : IDisposable
{
    // Threads for the socket engine and the answers' continuations: enough that the generator's own work never queues.
    private const int MinThreads = 8;

    private readonly HttpClient _client;
    private readonly Uri _target;
    private readonly bool _numbered;

    /// <param name="numbered">Whether each request's path ends in its number, from 0.</param>
    /// <param name="http2">Whether to use HTTP/2, without negotiation: the requests share a connection.</param>
    public LoadGenerator(Uri target, bool numbered = false, bool http2 = false)
    {
        (_target, _numbered) = (target, numbered);
        _client = new HttpClient(Handler())
        {
            Timeout = Timeout.InfiniteTimeSpan,
            DefaultRequestVersion = http2 ? HttpVersion.Version20 : HttpVersion.Version11,
            DefaultVersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        ThreadPool.GetMinThreads(out var workers, out var io);
        ThreadPool.SetMinThreads(Math.Max(workers, MinThreads), io);
    }

    /// <summary>The time at which <see cref="Run"/> began, ns of the operating system's monotonic clock.</summary>
    public long StartedAtNs { get; private set; }

    /// <summary>Sends unmeasured requests one after the other, so that the service and this process compile their
    /// code.</summary>
    /// <exception cref="HttpRequestException">The service does not answer, or answers with a status outside 200 to
    /// 299.</exception>
    public void WarmUp(int requests)
    {
        for (var i = 0; i < requests; i++)
        {
            using var answer = _client.GetAsync(_target).GetAwaiter().GetResult();
            answer.EnsureSuccessStatusCode();
        }
    }

    /// <summary>Sends the requests on the calling thread, and blocks it until every request has ended.</summary>
    /// <param name="intended">Ascending times from now.</param>
    /// <param name="drain">Time to wait for answers after the last intended time; then the rest is given up.</param>
    /// <returns>One request for each intended time, in that order.</returns>
    public IReadOnlyList<Request> Run(IReadOnlyList<TimeSpan> intended, TimeSpan drain)
    {
        using var giveUp = new CancellationTokenSource();
        var requests = new Task<Request>[intended.Count];
        var start = Stopwatch.GetTimestamp();
        StartedAtNs = (long)(start * (1e9 / Stopwatch.Frequency));
        for (var i = 0; i < requests.Length; i++)
        {
            // Sleeps whole milliseconds: spinning for the rest would take a core from the service. The delay counts as
            // latency.
            for (var left = intended[i] - Stopwatch.GetElapsedTime(start); left > TimeSpan.Zero;
                 left = intended[i] - Stopwatch.GetElapsedTime(start))
            {
                Thread.Sleep((int)Math.Ceiling(left.TotalMilliseconds));
            }

            requests[i] = SendAsync(_numbered ? new Uri($"{_target}/{i}") : _target, intended[i], start, giveUp.Token);
        }

        var all = Task.WhenAll(requests);
        if (!all.Wait(drain))
        {
            giveUp.Cancel();
        }

        return all.GetAwaiter().GetResult();
    }

    public void Dispose() => _client.Dispose();

#pragma warning disable CA5359 // The service makes its certificate itself and runs on this machine.
    private static SocketsHttpHandler Handler() => new()
    {
        UseProxy = false,
        UseCookies = false,
        SslOptions = new SslClientAuthenticationOptions { RemoteCertificateValidationCallback = (_, _, _, _) => true },
    };
#pragma warning restore CA5359

    private async Task<Request> SendAsync(Uri target, TimeSpan intended, long start, CancellationToken giveUp)
    {
        var sent = Stopwatch.GetElapsedTime(start);
        var outcome = Outcome.Error;
        try
        {
            using var answer = await _client.GetAsync(target, giveUp).ConfigureAwait(false);
            outcome = answer.IsSuccessStatusCode ? Outcome.Ok : Outcome.Error;
        }
        catch (OperationCanceledException)
        {
            outcome = Outcome.Unanswered;
        }
        catch (HttpRequestException)
        {
            // The report counts it.
        }

        return new Request(intended, sent, Stopwatch.GetElapsedTime(start), outcome);
    }
}
