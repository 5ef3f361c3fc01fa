using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Poolscope.Collect.Tests.Metrics;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

/// <summary>The command serves metrics of the test target.</summary>
[Trait("live", "yes")]
[Trait("paired", "yes")]
public sealed class MetricsLiveTests : IDisposable
{
    private readonly LiveTool _live = new();
    private readonly HttpClient _client = new();
    private readonly int _port = MetricsEndpointTests.FreePort();

    [Fact]
    public async Task A_starvation_is_seen_and_afterwards_the_port_is_free()
    {
        var target = await _live.TargetAsync("starve", 12_000);
        var tool = Watch("-p", LiveTool.Id(target), "--when", "wait>60s");
        await UntilAsync(metrics => Value(metrics, "dotnet_thread_pool_queue_length") > 5 && Value(metrics, "poolscope_work_item_longest_wait_seconds") > 0.5);
        var metrics = await MetricsAsync();
        Assert.True(Value(metrics, "poolscope_work_item_longest_wait_last_minute_seconds") > 0.5, metrics);
        Assert.True(Value(metrics, "dotnet_thread_pool_thread_count") > 0, metrics);
        Assert.True(Value(metrics, "dotnet_thread_pool_work_item_count_total") > 10, metrics);
        Assert.True(Value(metrics, "poolscope_work_items_begun_total") > 10, metrics);
        Assert.Contains($"poolscope_target_info{{pid=\"{target.Id}\"", metrics, StringComparison.Ordinal);
        await LiveTool.FinishAsync(tool);
        Assert.Equal(0, tool.ExitCode);
        using var again = new TcpListener(IPAddress.Loopback, _port);
        again.Start();
    }

    [Fact]
    public async Task It_goes_on_from_one_process_of_the_name_to_the_next()
    {
        const string name = "metrics-target";
        var tool = Watch("-n", name);
        await UntilAsync(metrics => Value(metrics, "poolscope_watch_state{state=\"waiting\"}") == 1);
        foreach (var _ in new[] { "first", "second" })
        {
            var target = await _live.TargetAsync("work", 60_000, name);
            await UntilAsync(metrics => metrics.Contains($"pid=\"{target.Id}\"", StringComparison.Ordinal) && Value(metrics, "poolscope_work_items_begun_total") > 0);
            target.Kill();
            await UntilAsync(metrics => Value(metrics, "poolscope_watch_state{state=\"waiting\"}") == 1);
            Assert.DoesNotContain("dotnet_thread_pool", await MetricsAsync(), StringComparison.Ordinal);
        }

        Assert.Equal(0, Libc.Kill(tool.Id, Libc.SigTerm));
        await LiveTool.FinishAsync(tool);
        Assert.Equal(0, tool.ExitCode);
    }

    [Fact]
    public async Task A_port_in_use_ends_it_before_it_begins()
    {
        var target = await _live.TargetAsync("work", 60_000);
        using var taken = new TcpListener(IPAddress.Loopback, _port);
        taken.Start();
        var tool = Watch("-p", LiveTool.Id(target));
        var errors = await tool.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await tool.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(2, tool.ExitCode);
        Assert.Equal($"poolscope-collect: --metrics: http://127.0.0.1:{_port}/metrics cannot be served: Address already in use; choose another port or address\n", errors);
        Assert.False(Directory.Exists(Path.Combine(_live.Folder, "out")));
    }

    public void Dispose()
    {
        _client.Dispose();
        _live.Dispose();
    }

    private System.Diagnostics.Process Watch(params string[] arguments) => _live.Run(
        ["watch", "-o", Path.Combine(_live.Folder, "out"), "--kernel", "none", "--before", "1s", "--after", "1s", "--metrics", _port.ToString(CultureInfo.InvariantCulture), .. arguments]);

    private async Task UntilAsync(Func<string, bool> enough)
    {
        var last = "";
        for (var look = 0; look < 300; look++)
        {
            try
            {
                if (enough(last = await MetricsAsync()))
                {
                    return;
                }
            }
            catch (HttpRequestException)
            {
                // The command does not serve yet.
            }

            await Task.Delay(100, TestContext.Current.CancellationToken);
        }

        Assert.Fail(last);
    }

    private Task<string> MetricsAsync() => _client.GetStringAsync($"http://127.0.0.1:{_port}/metrics", TestContext.Current.CancellationToken);

    private static double Value(string metrics, string name) =>
        metrics.Split('\n').FirstOrDefault(line => line.StartsWith(name + " ", StringComparison.Ordinal)) is { } line
            ? double.Parse(line[(name.Length + 1)..], CultureInfo.InvariantCulture)
            : -1;
}
