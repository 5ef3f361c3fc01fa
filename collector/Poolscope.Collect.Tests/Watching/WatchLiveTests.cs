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
        var tool = Watch("-p", target.Id.ToString(System.Globalization.CultureInfo.InvariantCulture), "--when", "wait>1s", "--keep", "1");
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
        var tool = Watch("-p", target.Id.ToString(System.Globalization.CultureInfo.InvariantCulture));
        while (await tool.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken) is { } line && !line.Contains("history_s", StringComparison.Ordinal))
        {
        }

        Assert.Equal(0, Libc.Kill(tool.Id, Libc.SigTerm));
        await FinishAsync(tool);
        Assert.Equal(0, tool.ExitCode);
        Assert.False(Directory.Exists(Path.Combine(_folder, "out")));
        Assert.False(target.HasExited);
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
        Start([Tool, "watch", "-o", Path.Combine(_folder, "out"), "--kernel", "none", "--before", "1s", "--after", "1s", "--json", .. arguments]);

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
