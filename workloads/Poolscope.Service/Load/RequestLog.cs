using System.Globalization;

namespace Poolscope.Service.Load;

/// <summary>The outcome of each request, for comparison with other observations.</summary>
public static class RequestLog
{
    /// <summary>Writes CSV: number, outcome, and the times at which the request was meant to be sent, was sent and
    /// ended, in ns of the monotonic clock.</summary>
    /// <param name="startedAtNs">Time at which the run began, on that clock.</param>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public static void Write(string path, IReadOnlyList<Request> requests, long startedAtNs)
    {
        using var file = new StreamWriter(path);
        file.WriteLine("number,outcome,intended,sent,ended");
        for (var number = 0; number < requests.Count; number++)
        {
            var request = requests[number];
            file.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"{number},{request.Outcome.ToString().ToLowerInvariant()},{At(request.Intended)},{At(request.Sent)},{At(request.Ended)}"));
        }

        long At(TimeSpan time) => startedAtNs + (long)time.TotalNanoseconds;
    }
}
