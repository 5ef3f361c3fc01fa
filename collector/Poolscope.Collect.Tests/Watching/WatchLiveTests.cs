using System.Diagnostics;
using System.Text.Json;
using Poolscope.Decode.Manifest;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

/// <summary>The command watches the test target, whose pool blocks for a while.</summary>
[Trait("live", "yes")]
[Trait("paired", "yes")]
public sealed class WatchLiveTests : IDisposable
{
    private readonly LiveTool _live = new();

    [Theory]
    [InlineData(true, "poolscope report ")]
    [InlineData(false, "poolscope-collect decode ")]
    public async Task A_starvation_leaves_a_capture_and_ends_with_the_process(bool decode, string next)
    {
        var target = await _live.TargetAsync("starve", 12000);
        var tool = Watch(["-p", LiveTool.Id(target), "--when", "wait>1s", "--kernel", "none", "--keep", "1", .. decode ? Array.Empty<string>() : ["--no-decode"]]);
        var lines = (await LiveTool.FinishAsync(tool)).Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement).ToList();
        Assert.Equal(0, tool.ExitCode);
        Assert.Contains(lines, line => line.TryGetProperty("state", out var state) && state.GetString() == "watching");
        var fired = lines.First(line => line.TryGetProperty("event", out var what) && what.GetString() == "fired");
        Assert.Equal("wait>1s", fired.GetProperty("term").GetString());
        var capture = Assert.Single(Directory.GetDirectories(Path.Combine(_live.Folder, "out")));
        Assert.NotEqual(CaptureStatus.Recording, CaptureManifest.Load(capture).Status);
        Assert.Equal(decode, File.Exists(Path.Combine(capture, "tables", "work_items.npz")));
        var captured = lines.First(line => line.TryGetProperty("event", out var what) && what.GetString() == "captured");
        Assert.Contains($"Next: {next}", captured.GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Single(Directory.GetFileSystemEntries(Path.Combine(_live.Folder, "out")));
    }

    [Fact]
    public async Task Sigterm_leaves_nothing()
    {
        var target = await _live.TargetAsync("work", 30000);
        var tool = Watch("-p", LiveTool.Id(target), "--kernel", "none");
        await HistoryAsync(tool);
        Assert.Equal(0, Libc.Kill(tool.Id, Libc.SigTerm));
        await LiveTool.FinishAsync(tool);
        Assert.Equal(0, tool.ExitCode);
        Assert.False(Directory.Exists(Path.Combine(_live.Folder, "out")));
        Assert.False(target.HasExited);
    }

    /// <summary>A slot ends three times a second here. The capture consists of several slots, and the numbers that the
    /// runtime and the kernel give their events show that none is missing.</summary>
    [Fact]
    public async Task Nothing_is_lost_between_slots()
    {
        var target = await _live.TargetAsync("starve", 12000);
        var tool = Watch("-p", LiveTool.Id(target), "--when", "wait>1s", "--kernel", "auto", "--keep", "1");
        await LiveTool.FinishAsync(tool);
        Assert.Equal(0, tool.ExitCode);
        var capture = CaptureManifest.Load(Assert.Single(Directory.GetDirectories(Path.Combine(_live.Folder, "out"))));
        var runtime = capture.Streams.Single(stream => stream.File == "runtime.nettrace");
        Assert.True(runtime.EndNs - runtime.StartNs > 1_500_000_000, $"{runtime.EndNs - runtime.StartNs} ns");
        Assert.True(capture.Tables!["work_items"] > 50, $"{capture.Tables["work_items"]} items");
        Assert.All(capture.Streams, stream => Assert.Equal((0L, null), (stream.Lost ?? 0, stream.Damage)));
        Assert.All(capture.Streams.Where(stream => stream.File.StartsWith("sched", StringComparison.Ordinal)), kernel =>
        {
            // The kernel's stream shows what ran at every event of the runtime.
            Assert.True(kernel.StartNs <= runtime.StartNs, $"{kernel.StartNs - runtime.StartNs} ns later");
            Assert.True(kernel.EndNs >= runtime.EndNs, $"{runtime.EndNs - kernel.EndNs} ns earlier");
        });
        Assert.Equal(0, capture.Tables["losses"]);
    }

    [Fact]
    public async Task A_killed_watcher_harms_nobody_and_the_next_one_cleans_up()
    {
        var target = await _live.TargetAsync("work", 60000);
        var first = Watch("-p", LiveTool.Id(target), "--kernel", "auto");
        await HistoryAsync(first);
        first.Kill();
        await first.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.NotEmpty(Recordings());
        Assert.False(target.HasExited);

        var second = Watch("-p", LiveTool.Id(target), "--kernel", "auto");
        await HistoryAsync(second);
        Assert.Equal(0, Libc.Kill(second.Id, Libc.SigTerm));
        await LiveTool.FinishAsync(second);
        Assert.Equal(0, second.ExitCode);
        Assert.Empty(Recordings());
        Assert.False(target.HasExited);
    }

    [Fact]
    public async Task A_target_that_is_stopped_for_a_while_is_watched_on()
    {
        var target = await _live.TargetAsync("work", 60000);
        var tool = Watch("-p", LiveTool.Id(target), "--when", "wait>60s");
        await HistoryAsync(tool);
        Assert.Equal(0, Libc.Kill(target.Id, SigStop));
        await SilenceAsync(tool, silence => silence > 2);
        Assert.Equal(0, Libc.Kill(target.Id, SigCont));
        await SilenceAsync(tool, silence => silence < 1);
        Assert.Equal(0, Libc.Kill(tool.Id, Libc.SigTerm));
        await LiveTool.FinishAsync(tool);
        Assert.Equal((0, false), (tool.ExitCode, target.HasExited));
    }

    private const int SigStop = 19;
    private const int SigCont = 18;

    private string[] Recordings() => Directory.Exists(Path.Combine(_live.Folder, "out")) ? Directory.GetDirectories(Path.Combine(_live.Folder, "out"), ".recording-*") : [];

    /// <summary>Waits until a watcher reports how far back it reaches.</summary>
    private static async Task HistoryAsync(Process tool)
    {
        while (await tool.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken) is { } line && !line.Contains("history_s", StringComparison.Ordinal))
        {
        }
    }

    /// <summary>Waits until the target has been silent long enough.</summary>
    private static async Task SilenceAsync(Process tool, Func<double, bool> enough)
    {
        while (await tool.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken) is { } line)
        {
            if (JsonDocument.Parse(line).RootElement.TryGetProperty("silent_s", out var silence) && enough(silence.GetDouble()))
            {
                return;
            }
        }

        Assert.Fail("the watcher ended");
    }

    public void Dispose() => _live.Dispose();

    private Process Watch(params string[] arguments) =>
        _live.Run(["watch", "-o", Path.Combine(_live.Folder, "out"), "--before", "1s", "--after", "1s", "--json", .. arguments]);
}
