using System.Diagnostics;
using System.Net;
using System.Net.Security;

namespace Poolscope.Service.Load;

/// <summary>Sends requests at set times, whatever becomes of those before. No request holds a thread, and each has a
/// connection of its own if none is free.</summary>
public sealed class LoadGenerator : IDisposable
{
    // The socket engine and the answers' continuations: enough that none of the generator's own work queues.
    private const int MinThreads = 8;

    private readonly HttpClient _client;
    private readonly Uri _target;
    private readonly bool _numbered;

    /// <param name="numbered">Each request's path ends in its number, from 0.</param>
    /// <param name="http2">Over HTTP/2, without asking first: the requests share a connection.</param>
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

    /// <summary>When <see cref="Run"/> began, ns of the clock that the operating system's monotonic time counts.</summary>
    public long StartedAtNs { get; private set; }

    /// <summary>One request after the other, unmeasured: the service compiles its code, and this process its own.</summary>
    /// <exception cref="HttpRequestException">The service does not answer, or not with a status of 200 to 299.</exception>
    public void WarmUp(int requests)
    {
        for (var i = 0; i < requests; i++)
        {
            using var answer = _client.GetAsync(_target).GetAwaiter().GetResult();
            answer.EnsureSuccessStatusCode();
        }
    }

    /// <summary>Blocks the calling thread, which does the sending, until every request has ended.</summary>
    /// <param name="intended">Ascending times from now.</param>
    /// <param name="drain">How long to wait for answers after the last intended time; then the rest is given up.</param>
    /// <returns>One for each intended time, in that order.</returns>
    public IReadOnlyList<Request> Run(IReadOnlyList<TimeSpan> intended, TimeSpan drain)
    {
        using var giveUp = new CancellationTokenSource();
        var requests = new Task<Request>[intended.Count];
        var start = Stopwatch.GetTimestamp();
        StartedAtNs = (long)(start * (1e9 / Stopwatch.Frequency));
        for (var i = 0; i < requests.Length; i++)
        {
            // Whole milliseconds: spinning the rest away would take a core from the service. It counts as latency.
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

#pragma warning disable CA5359 // The service's certificate is of its own making, and it runs on this machine.
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
            // Counted; the report says how many.
        }

        return new Request(intended, sent, Stopwatch.GetElapsedTime(start), outcome);
    }
}
