using Poolscope.Service.Load;
using Xunit;

namespace Poolscope.Service.Tests;

public sealed class LoadReportTests
{
    [Fact]
    public void Latency_counts_from_when_a_request_was_meant_to_be_sent()
    {
        var request = new Request(Ms(100), Sent: Ms(400), Ended: Ms(450), Outcome.Ok);

        Assert.Equal(Ms(350), request.Latency);
        Assert.Equal(Ms(300), request.SendLag);
    }

    [Fact]
    public void A_report_counts_outcomes_and_takes_percentiles_over_all_that_waited()
    {
        // 98 answers after 10 ms; an error, which does not count as an answer time; a request given up after 5 s.
        List<Request> requests = [.. Enumerable.Range(0, 98).Select(i => new Request(Ms(i * 10), Ms(i * 10), Ms((i * 10) + 10), Outcome.Ok))];
        requests.Add(new Request(Ms(980), Ms(981), Ms(982), Outcome.Error));
        requests.Add(new Request(Ms(990), Ms(1000), Ms(5990), Outcome.Unanswered));

        var report = LoadReport.Of(requests, TimeSpan.FromSeconds(1));

        Assert.Equal((100, 98, 2, 1), (report.Sent, report.Ok, report.Errors, report.Unanswered));
        Assert.Equal(100, report.OfferedRate, 6);
        Assert.Equal(98 / 5.99, report.AchievedRate, 6);
        Assert.Equal(5990, report.ElapsedMs, 6);
        Assert.True(report.LatencyIsLowerBound);
        Assert.NotNull(report.LatencyMs);
        Assert.Equal(((98 * 10) + 5000) / 99.0, report.LatencyMs.Mean, 6);
        Assert.Equal(10, report.LatencyMs.P50, 6);
        Assert.Equal(5000, report.LatencyMs.Max, 6);
        Assert.NotNull(report.SendLagMs);
        Assert.Equal(10, report.SendLagMs.Max, 6);
    }

    [Fact]
    public void A_short_run_counts_as_long_as_it_was_planned()
    {
        var report = LoadReport.Of([new Request(Ms(1), Ms(1), Ms(2), Outcome.Ok)], TimeSpan.FromSeconds(2));

        Assert.Equal(0.5, report.AchievedRate, 6);
        Assert.False(report.LatencyIsLowerBound);
    }

    private static TimeSpan Ms(int ms) => TimeSpan.FromMilliseconds(ms);
}
