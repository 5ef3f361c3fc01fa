using System.Text.Json;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

/// <summary>The command looks at the test target and records nothing.</summary>
[Trait("live", "yes")]
[Trait("paired", "yes")]
public sealed class TopLiveTests : IDisposable
{
    private readonly LiveTool _live = new();

    [Fact]
    public async Task A_starvation_is_seen_and_it_ends_with_the_process()
    {
        var target = await _live.TargetAsync("starve", 15_000);
        var tool = _live.Run("top", "-p", LiveTool.Id(target), "--json");
        var lines = (await LiveTool.FinishAsync(tool)).Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement).ToList();
        Assert.Equal(0, tool.ExitCode);
        Assert.All(lines, line => Assert.Equal(("observing", target.Id), (line.GetProperty("state").GetString(), line.GetProperty("pid").GetInt32())));
        Assert.All(lines, line => Assert.False(line.TryGetProperty("wait_s", out _) || line.TryGetProperty("begun_per_s", out _)));
        Assert.Contains(lines, line => Number(line, "queue") > 5 && Number(line, "queued_s") > 0.5);
        Assert.Contains(lines, line => Number(line, "threads") > 0 && Number(line, "completed_per_s") > 10);
        Assert.Contains(lines, line => Number(line, "goal") > 0 && line.TryGetProperty("goal_reason", out _));
        Assert.Contains(lines, line => Number(line, "cores") >= 0);
    }

    [Fact]
    public async Task It_ends_after_so_many_seconds_at_a_signal_and_when_nobody_reads()
    {
        var target = await _live.TargetAsync("work", 60_000);
        var timed = _live.Run("top", "-p", LiveTool.Id(target), "--duration", "3s");
        var lines = (await LiveTool.FinishAsync(timed)).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(0, timed.ExitCode);
        Assert.InRange(lines.Length, 1, 3);
        Assert.All(lines, line => Assert.StartsWith($"observing {target.Id}: ", line, StringComparison.Ordinal));

        var stopped = _live.Run("top", "-p", LiveTool.Id(target));
        _ = await stopped.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, Libc.Kill(stopped.Id, Libc.SigTerm));
        await LiveTool.FinishAsync(stopped);
        Assert.Equal(0, stopped.ExitCode);

        var unread = _live.Run("top", "-p", LiveTool.Id(target));
        _ = await unread.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        unread.StandardOutput.Close();
        await unread.WaitForExitAsync(TestContext.Current.CancellationToken).WaitAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        Assert.Equal((0, false), (unread.ExitCode, target.HasExited));
    }

    [Theory]
    [InlineData("2147480000", "there is no process 2147480000")]
    [InlineData("1", "poolscope-collect: ")]
    public async Task Who_cannot_be_looked_at_is_one_line(string pid, string complaint)
    {
        var tool = _live.Run("top", "-p", pid);
        var errors = await tool.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await tool.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(3, tool.ExitCode);
        Assert.Contains(complaint, errors, StringComparison.Ordinal);
        Assert.Single(errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    public void Dispose() => _live.Dispose();

    private static double Number(JsonElement line, string name) => line.TryGetProperty(name, out var value) ? value.GetDouble() : -1;
}
