using System.Text;
using System.Text.RegularExpressions;
using Poolscope.Collect.Live;
using Poolscope.Collect.Metrics;
using Poolscope.Collect.Tests.Live;
using Prometheus;
using Xunit;

namespace Poolscope.Collect.Tests.Metrics;

public sealed partial class StateMetricsTests
{
    [Theory]
    [InlineData("dotnet_thread_pool_thread_count 14")]
    [InlineData("dotnet_thread_pool_queue_length 1234")]
    [InlineData("dotnet_thread_pool_work_item_count_total 990")]
    [InlineData("dotnet_timer_count 3")]
    [InlineData("dotnet_process_cpu_time_seconds_total{cpu_mode=\"user\"} 12.5")]
    [InlineData("dotnet_process_cpu_time_seconds_total{cpu_mode=\"system\"} 3.25")]
    [InlineData("poolscope_work_item_longest_wait_seconds 3.2")]
    [InlineData("poolscope_work_item_longest_wait_last_minute_seconds 3.2")]
    [InlineData("poolscope_thread_pool_queued_seconds 4")]
    [InlineData("poolscope_thread_pool_goal_threads 15")]
    [InlineData("poolscope_thread_pool_goal_reason{reason=\"Starvation\"} 1")]
    [InlineData("poolscope_thread_pool_goal_reason{reason=\"ClimbingMove\"} 0")]
    [InlineData("poolscope_thread_pool_starvation_adjustments_total 7")]
    [InlineData("poolscope_target_info{pid=\"4711\",name=\"app\",runtime=\".NET 10.0.12\"} 1")]
    [InlineData("poolscope_watch_state{state=\"recording\"} 1")]
    [InlineData("poolscope_watch_state{state=\"watching\"} 0")]
    [InlineData("poolscope_incidents_total 3")]
    [InlineData("poolscope_captures_total 2")]
    [InlineData("poolscope_captures_failed_total 1")]
    [InlineData("poolscope_warnings_total 4")]
    [InlineData("poolscope_lost_events_total 0")]
    [InlineData("poolscope_disk_bytes 15728640")]
    [InlineData("poolscope_disk_limit_bytes 4294967296")]
    public async Task A_starvation(string line) => Assert.Contains(line, (await TextAsync(PoolStates.Starved)).Split('\n'));

    [Fact]
    public async Task What_is_not_known_is_left_out()
    {
        var text = await TextAsync(PoolStates.Unknown);
        Assert.DoesNotContain("thread_pool", text, StringComparison.Ordinal);
        Assert.DoesNotContain("_wait_", text, StringComparison.Ordinal);
        Assert.Contains("poolscope_incidents_total 0", text, StringComparison.Ordinal);
        Assert.Empty((await TextAsync(null)).Trim());
    }

    /// <summary>Each metric has its unit in its name and in its description.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Every_metric_says_what_it_is(bool open)
    {
        var text = await TextAsync(PoolStates.Starved, open ? ExpositionFormat.OpenMetricsText : ExpositionFormat.PrometheusText);
        var samples = text.Split('\n').Where(line => line.Length > 0 && line[0] != '#').Select(line => Name().Match(line).Value).ToHashSet();
        Assert.True(samples.Count > 25, text);
        foreach (var sample in samples)
        {
            var family = open ? Total().Replace(sample, "") : sample;
            Assert.Matches($"# HELP {family} [A-Z0-9].*[.]\n# TYPE {family} (gauge|counter)\n", text);
            Assert.True(!sample.Contains("second", StringComparison.Ordinal) || Regex.IsMatch(text, $"# HELP {family} .*(seconds|second,)"), sample);
        }

        Assert.Equal(open, text.EndsWith("# EOF\n", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_hostile_name_stays_in_its_label()
    {
        var text = await TextAsync(PoolStates.Starved with { Name = "a\"} 1\nevil 2\\" });
        Assert.Contains("name=\"a\\\"} 1\\nevil 2\\\\\"", text, StringComparison.Ordinal);
        Assert.DoesNotContain("\nevil", text, StringComparison.Ordinal);
    }

    private static async Task<string> TextAsync(PoolState? state, ExpositionFormat format = ExpositionFormat.PrometheusText)
    {
        using var text = new MemoryStream();
        await StateMetrics.WriteAsync(state, text, format, TestContext.Current.CancellationToken);
        return Encoding.UTF8.GetString(text.ToArray());
    }

    [GeneratedRegex("^[a-z_]+")]
    private static partial Regex Name();

    [GeneratedRegex("_total$")]
    private static partial Regex Total();
}
