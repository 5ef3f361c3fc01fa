using System.Diagnostics;
using System.Text.Json;
using Poolscope.Collect.Facts;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>The real command on real processes. Uses --kernel none, because scheduler events depend on the
/// machine.</summary>
[Trait("live", "yes")]
[Trait("paired", "yes")]
public sealed class LiveTests : IDisposable
{
    private static readonly string Tool = Path.Combine(AppContext.BaseDirectory, "poolscope-collect.dll");
    private static readonly string Target = AppContext.BaseDirectory.TrimEnd('/')
        .Replace("Poolscope.Collect.Tests", "Poolscope.Collect.Tests.Target", StringComparison.Ordinal) + "/Poolscope.Collect.Tests.Target.dll";

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-test-").FullName;
    private readonly List<Process> _started = [];

    [Trait("smoke", "yes")]
    [Fact]
    public async Task A_launched_commands_output_and_exit_code_pass_through()
    {
        var (exitCode, output, errors) = await FinishAsync(Collect("--", "dotnet", Target, "exit", "7"));
        Assert.Equal(7, exitCode);
        Assert.Equal("hello from the target" + Environment.NewLine, output);
        Assert.Contains("poolscope report", errors, StringComparison.Ordinal);
        var manifest = CaptureManifest.Load(Capture);
        Assert.Equal((CaptureStatus.Complete, StopReason.TargetExit, 7), (manifest.Status, manifest.Stop, manifest.Target.ExitCode));
        Assert.True(manifest.Target.Launched);
        Assert.StartsWith(".NET ", manifest.Target.Runtime, StringComparison.Ordinal);
        Assert.True(File.Exists(Path.Combine(Capture, "tables", "work_items.npz")));
    }

    [Theory]
    [InlineData("dotnet '{0}' spawn 5", 5)]
    [InlineData("dotnet '{0}' exit 0 & dotnet '{0}' spawn 6", 6)]
    [InlineData("dotnet '{0}' exit 3; dotnet '{0}' exit 4", 4)]
    public async Task No_further_dotnet_process_is_left_suspended(string script, int expected) =>
        Assert.Equal(expected, (await FinishAsync(Collect("--", "sh", "-c", string.Format(script, Target)))).ExitCode);

    [Trait("smoke", "yes")]
    [Fact]
    public async Task An_attached_process_survives_and_no_symbols_are_missing()
    {
        var target = await StartTargetAsync("work", "20000");
        Assert.Equal(0, (await FinishAsync(Collect("-p", target.Id.ToString(), "--duration", "1"))).ExitCode);
        Assert.False(target.HasExited);
        var manifest = CaptureManifest.Load(Capture);
        Assert.Equal((CaptureStatus.Complete, StopReason.Duration), (manifest.Status, manifest.Stop));
        Assert.Equal("symbols", manifest.Phases[0].Name);
        var recording = manifest.Phases.Single(phase => phase.Name == "recording");
        Assert.InRange((recording.EndNs - recording.StartNs) / 1e9, 1.0, 5.0);
        Assert.True(manifest.Phases[0].EndNs <= recording.StartNs);
        Assert.Contains(manifest.Streams, stream => stream is { File: "symbols.nettrace", Bytes: > 10_000 });

        // The target queued one item per 10 ms.
        Assert.True(manifest.Streams.Single(stream => stream.File == "runtime.nettrace").Events > 100);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Sigterm_leaves_a_complete_capture(bool launched)
    {
        var target = launched ? null : await StartTargetAsync("work", "20000");
        var tool = target is null ? Collect("--", "dotnet", Target, "work", "20000") : Collect("-p", target.Id.ToString());
        await RecordingAsync();
        Assert.Equal(0, Libc.Kill(tool.Id, Libc.SigTerm));
        Assert.Equal(0, (await FinishAsync(tool)).ExitCode);
        var manifest = CaptureManifest.Load(Capture);
        Assert.Equal((CaptureStatus.Complete, StopReason.Signal), (manifest.Status, manifest.Stop));
        Assert.Equal(!launched, ProcFs.System.IsAlive(manifest.Target.Pid));
        Assert.Equal(launched ? 128 + Libc.SigTerm : null, manifest.Target.ExitCode);
    }

    [Fact]
    public async Task A_killed_target_leaves_a_capture_that_decodes()
    {
        var target = await StartTargetAsync("work", "20000");
        var tool = Collect("-p", target.Id.ToString());
        await RecordingAsync();
        await Task.Delay(1000, TestContext.Current.CancellationToken);
        target.Kill();
        var (exitCode, _, errors) = await FinishAsync(tool);
        Assert.Equal(0, exitCode);
        Assert.Contains("killed", errors, StringComparison.Ordinal);
        var manifest = CaptureManifest.Load(Capture);
        Assert.Equal((CaptureStatus.Cut, StopReason.TargetKilled), (manifest.Status, manifest.Stop));
        Assert.True(File.Exists(Path.Combine(Capture, "tables", "work_items.npz")));
        Assert.True(manifest.Streams.Single(stream => stream.File == "runtime.nettrace").Events > 20);
    }

    [Theory]
    [InlineData("", "")]
    [InlineData("DOTNET_PROCESSOR_COUNT", "10")]
    [InlineData("DOTNET_ThreadPool_ForceMinWorkerThreads", "14")]
    [InlineData("DOTNET_ThreadPool_ForceMaxWorkerThreads", "1F")]
    public async Task The_facts_are_what_the_runtime_itself_computed(string variable, string value)
    {
        var start = Dotnet(Target, "limits", "20000");
        if (variable.Length > 0)
        {
            start.Environment[variable] = value;
        }

        var process = Start(start);
        var line = await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        var facts = TargetFacts.Read(ProcFs.System, process.Id, launched: false, runtime: null);
        Assert.Equal(line, $"{facts.ProcessorCount} {facts.MinThreads.Value} {facts.MaxThreads.Value}");
    }

    [Fact]
    public async Task Ps_lists_the_target_with_its_runtime_and_name_finds_it()
    {
        var target = await StartTargetAsync("work", "20000");
        var (exitCode, output, _) = await FinishAsync(Start(Dotnet(Tool, "ps", "--json")));
        Assert.Equal(0, exitCode);
        var listed = JsonDocument.Parse(output).RootElement.EnumerateArray().Single(process => process.GetProperty("pid").GetInt32() == target.Id);
        Assert.Equal("Poolscope.Collect.Tests.Target", listed.GetProperty("name").GetString());
        Assert.Equal($".NET {Environment.Version}", listed.GetProperty("runtime").GetString());
    }

    [Fact]
    public async Task What_cannot_be_captured_leaves_nothing_behind()
    {
        foreach (var (arguments, exitCode) in new[]
        {
            (new[] { "-p", Environment.ProcessId.ToString(), "--max-size", "1" }, 2),
            (["--", "/no/such/program"], 127),
            (["--", "/etc/passwd"], 126),
            (["--", "true"], 125),
        })
        {
            var (code, output, errors) = await FinishAsync(Collect(arguments));
            Assert.Equal(exitCode, code);
            Assert.Empty(output);
            Assert.Single(errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
            Assert.False(Path.Exists(Capture));
        }
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

    private string Capture => Path.Combine(_folder, "capture");

    private Process Collect(params string[] arguments) => Start(Dotnet([Tool, "collect", "-o", Capture, "--kernel", "none", .. arguments]));

    private async Task<Process> StartTargetAsync(params string[] arguments)
    {
        var process = Start(Dotnet([Target, .. arguments]));
        Assert.Equal("ready", await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        return process;
    }

    /// <summary>Waits until work items have been recorded: the nettrace file holds more than its header.</summary>
    private async Task RecordingAsync()
    {
        var stream = new FileInfo(Path.Combine(Capture, "runtime.nettrace"));
        for (var watch = Stopwatch.StartNew(); !stream.Exists || stream.Length < 2000; stream.Refresh())
        {
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(20), "no event was recorded");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    private static async Task<(int ExitCode, string Output, string Errors)> FinishAsync(Process process)
    {
        using var timeout = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        timeout.CancelAfter(TimeSpan.FromSeconds(60));
        var output = process.StandardOutput.ReadToEndAsync(timeout.Token);
        var errors = process.StandardError.ReadToEndAsync(timeout.Token);
        await process.WaitForExitAsync(timeout.Token);
        return (process.ExitCode, await output, await errors);
    }

    private static ProcessStartInfo Dotnet(params string[] arguments) => new("dotnet", arguments)
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        RedirectStandardInput = true,
    };

    private Process Start(ProcessStartInfo start)
    {
        var process = Process.Start(start)!;
        _started.Add(process);
        return process;
    }
}
