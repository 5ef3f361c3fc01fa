using System.Diagnostics;
using System.Text.Json;
using Poolscope.Decode.Manifest;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

/// <summary>The command watches the test target, whose pool blocks for a while.</summary>
[Trait("live", "yes")]
public sealed class WatchLiveTests : IDisposable
{
    private static readonly string Tool = Path.Combine(AppContext.BaseDirectory, "poolscope-collect.dll");
    private static readonly string Target = AppContext.BaseDirectory.TrimEnd('/')
        .Replace("Poolscope.Collect.Tests", "Poolscope.Collect.Tests.Target", StringComparison.Ordinal) + "/Poolscope.Collect.Tests.Target.dll";

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-watch-").FullName;
    private readonly List<Process> _started = [];

    [Fact]
    public async Task A_starvation_leaves_a_capture_and_ends_with_the_process()
    {
        var target = Start(Target, "starve", "12000");
        Assert.Equal("ready", await target.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        var tool = Watch("-p", target.Id.ToString(System.Globalization.CultureInfo.InvariantCulture), "--when", "wait>1s", "--kernel", "none", "--keep", "1");
        var lines = (await FinishAsync(tool)).Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement).ToList();
        Assert.Equal(0, tool.ExitCode);
        Assert.Contains(lines, line => line.TryGetProperty("state", out var state) && state.GetString() == "watching");
        var fired = lines.First(line => line.TryGetProperty("event", out var what) && what.GetString() == "fired");
        Assert.Equal("wait>1s", fired.GetProperty("term").GetString());
        var capture = Assert.Single(Directory.GetDirectories(Path.Combine(_folder, "out")));
        Assert.NotEqual(CaptureStatus.Recording, CaptureManifest.Load(capture).Status);
        Assert.True(File.Exists(Path.Combine(capture, "tables", "work_items.npz")));
        Assert.Single(Directory.GetFileSystemEntries(Path.Combine(_folder, "out")));
    }

    [Fact]
    public async Task Sigterm_leaves_nothing()
    {
        var target = Start(Target, "work", "30000");
        Assert.Equal("ready", await target.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        var tool = Watch("-p", Id(target), "--kernel", "none");
        await HistoryAsync(tool);
        Assert.Equal(0, Libc.Kill(tool.Id, Libc.SigTerm));
        await FinishAsync(tool);
        Assert.Equal(0, tool.ExitCode);
        Assert.False(Directory.Exists(Path.Combine(_folder, "out")));
        Assert.False(target.HasExited);
    }

    /// <summary>A slot ends six times a second here. The capture is made of a dozen of them, and no event is missing in it, by the
    /// numbers that the runtime and the kernel give their events.</summary>
    [Fact]
    public async Task Nothing_is_lost_between_slots()
    {
        var target = Start(Target, "starve", "12000");
        Assert.Equal("ready", await target.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        var tool = Watch("-p", Id(target), "--when", "wait>1s", "--kernel", "auto", "--keep", "1");
        await FinishAsync(tool);
        Assert.Equal(0, tool.ExitCode);
        var capture = CaptureManifest.Load(Assert.Single(Directory.GetDirectories(Path.Combine(_folder, "out"))));
        var runtime = capture.Streams.Single(stream => stream.File == "runtime.nettrace");
        Assert.True(runtime.EndNs - runtime.StartNs > 1_500_000_000, $"{runtime.EndNs - runtime.StartNs} ns");
        Assert.True(capture.Tables!["work_items"] > 50, $"{capture.Tables["work_items"]} items");
        Assert.All(capture.Streams, stream => Assert.Equal((0L, null), (stream.Lost ?? 0, stream.Damage)));
        Assert.All(capture.Streams.Where(stream => stream.File.StartsWith("sched", StringComparison.Ordinal)), kernel =>
        {
            // So that of every event of the runtime it is known what ran.
            Assert.True(kernel.StartNs <= runtime.StartNs, $"{kernel.StartNs - runtime.StartNs} ns later");
            Assert.True(kernel.EndNs >= runtime.EndNs, $"{runtime.EndNs - kernel.EndNs} ns earlier");
        });
        Assert.Equal(0, capture.Tables["losses"]);
    }

    [Fact]
    public async Task A_killed_watcher_harms_nobody_and_the_next_one_cleans_up()
    {
        var target = Start(Target, "work", "60000");
        Assert.Equal("ready", await target.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        var first = Watch("-p", Id(target), "--kernel", "auto");
        await HistoryAsync(first);
        first.Kill();
        await first.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.NotEmpty(Recordings());
        Assert.False(target.HasExited);

        var second = Watch("-p", Id(target), "--kernel", "auto");
        await HistoryAsync(second);
        Assert.Equal(0, Libc.Kill(second.Id, Libc.SigTerm));
        await FinishAsync(second);
        Assert.Equal(0, second.ExitCode);
        Assert.Empty(Recordings());
        Assert.False(target.HasExited);
    }

    [Fact]
    public async Task A_target_that_is_stopped_for_a_while_is_watched_on()
    {
        var target = Start(Target, "work", "60000");
        Assert.Equal("ready", await target.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        var tool = Watch("-p", Id(target), "--when", "wait>60s");
        await HistoryAsync(tool);
        Assert.Equal(0, Libc.Kill(target.Id, SigStop));
        await SilenceAsync(tool, silence => silence > 2);
        Assert.Equal(0, Libc.Kill(target.Id, SigCont));
        await SilenceAsync(tool, silence => silence < 1);
        Assert.Equal(0, Libc.Kill(tool.Id, Libc.SigTerm));
        await FinishAsync(tool);
        Assert.Equal((0, false), (tool.ExitCode, target.HasExited));
    }

    private const int SigStop = 19;
    private const int SigCont = 18;

    private static string Id(Process process) => process.Id.ToString(System.Globalization.CultureInfo.InvariantCulture);

    private string[] Recordings() => Directory.Exists(Path.Combine(_folder, "out")) ? Directory.GetDirectories(Path.Combine(_folder, "out"), ".recording-*") : [];

    /// <summary>Waits until a watcher tells how far back it reaches.</summary>
    private static async Task HistoryAsync(Process tool)
    {
        while (await tool.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken) is { } line && !line.Contains("history_s", StringComparison.Ordinal))
        {
        }
    }

    /// <summary>Waits until the target has been silent for as long as is asked for.</summary>
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

    public void Dispose()
    {
        foreach (var process in _started)
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }

            process.Dispose();
        }

        Directory.Delete(_folder, recursive: true);
    }

    private Process Watch(params string[] arguments) =>
        Start([Tool, "watch", "-o", Path.Combine(_folder, "out"), "--before", "1s", "--after", "1s", "--json", .. arguments]);

    private static async Task<string> FinishAsync(Process process)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(TimeSpan.FromSeconds(90));
        var errors = process.StandardError.ReadToEndAsync(timeout.Token);
        var output = await process.StandardOutput.ReadToEndAsync(timeout.Token);
        await process.WaitForExitAsync(timeout.Token);
        _ = await errors;
        return output;
    }

    private Process Start(params string[] arguments)
    {
        var process = Process.Start(new ProcessStartInfo("dotnet", arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
        })!;
        _started.Add(process);
        return process;
    }
}
