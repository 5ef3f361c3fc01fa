using Poolscope.Workloads.Running;

namespace Poolscope.Service.Load;

/// <summary>The result of a load.</summary>
/// <param name="OfferedRate">Intended requests, per second of the planned duration.</param>
/// <param name="AchievedRate">Good answers, per second of <paramref name="ElapsedMs"/>.</param>
/// <param name="Errors">Requests without a good answer, including <paramref name="Unanswered"/>.</param>
/// <param name="LatencyMs">Time from the intended time to a good answer, or until an unanswered request was given up;
/// null if there were none.</param>
/// <param name="LatencyIsLowerBound">Whether some requests were unanswered, so that the true latencies are at least
/// these.</param>
/// <param name="SendLagMs">How late the generator sent. Large values mean that it, not the service, was short of
/// cores.</param>
/// <param name="ElapsedMs">The planned duration, or the time until the last request ended if that was later.</param>
public sealed record LoadReport(
    double OfferedRate,
    double AchievedRate,
    int Sent,
    int Ok,
    int Errors,
    int Unanswered,
    Distribution? LatencyMs,
    bool LatencyIsLowerBound,
    Distribution? SendLagMs,
    double ElapsedMs)
{
    public static LoadReport Of(IReadOnlyList<Request> requests, TimeSpan duration)
    {
        var ok = requests.Count(r => r.Outcome == Outcome.Ok);
        var unanswered = requests.Count(r => r.Outcome == Outcome.Unanswered);
        var elapsed = requests.Select(r => r.Ended).Append(duration).Max();
        return new LoadReport(
            requests.Count / duration.TotalSeconds,
            ok / elapsed.TotalSeconds,
            requests.Count,
            ok,
            requests.Count - ok,
            unanswered,
            Distribution.Of([.. requests.Where(r => r.Outcome != Outcome.Error).Select(r => r.Latency.TotalMilliseconds)]),
            unanswered > 0,
            Distribution.Of([.. requests.Select(r => r.SendLag.TotalMilliseconds)]),
            elapsed.TotalMilliseconds);
    }

    /// <summary>Writes the report for people.</summary>
    public void Write(TextWriter output)
    {
        output.WriteLine($"  requests       {Sent:N0} sent, {Ok:N0} ok, {Errors:N0} errors (of these {Unanswered:N0} unanswered)");
        output.WriteLine($"  rate           {OfferedRate:F1}/s offered, {AchievedRate:F1}/s answered");
        if (LatencyMs is { } latency)
        {
            var bound = LatencyIsLowerBound ? ">= " : "";
            output.WriteLine(
                $"  latency        mean {bound}{Time(latency.Mean)}, p50 {bound}{Time(latency.P50)}, p99 {bound}{Time(latency.P99)}, max {bound}{Time(latency.Max)}");
        }

        if (SendLagMs is { } lag)
        {
            output.WriteLine($"  sent late by   p99 {Time(lag.P99)}, max {Time(lag.Max)}");
        }
    }

    private static string Time(double milliseconds) =>
        milliseconds >= 1000 ? $"{milliseconds / 1000:F2} s" : $"{milliseconds:F2} ms";
}
