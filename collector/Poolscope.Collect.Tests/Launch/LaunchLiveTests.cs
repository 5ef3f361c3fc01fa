using System.Diagnostics;
using Poolscope.Collect.Launch;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;
using Poolscope.PerfEvents.Linux;
using Xunit;

namespace Poolscope.Collect.Tests.Launch;

/// <summary>The real command and real processes, with faults. bench/faults tries the same at random moments.</summary>
[Trait("live", "yes")]
[Trait("paired", "yes")]
public sealed class LaunchLiveTests : IDisposable
{
    private static readonly string Tool = Path.Combine(AppContext.BaseDirectory, "poolscope-collect.dll");
    private static readonly string Target = AppContext.BaseDirectory.TrimEnd('/')
        .Replace("Poolscope.Collect.Tests", "Poolscope.Collect.Tests.Target", StringComparison.Ordinal) + "/Poolscope.Collect.Tests.Target.dll";

    private readonly string _folder = Directory.CreateTempSubdirectory("launch-test-").FullName;
    private readonly List<Process> _started = [];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private string Capture => Path.Combine(_folder, "capture");

    /// <summary>The worst moment: the program waits, and nothing records yet.</summary>
    [Fact]
    public async Task A_program_goes_on_when_its_collector_is_killed_while_it_waits()
    {
        var tool = Start([Tool, "collect", "-o", Capture, "--kernel", "none", "--", "dotnet", Target, "beat", "20000"]);
        var (target, port) = await WaitingTargetAsync(tool.Id);
        tool.Kill();
        var line = await tool.StandardOutput.ReadLineAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        Assert.Equal(target.ToString(), line);

        Libc.Kill(target, Libc.SigKill);
        await UntilAsync(() => !Directory.Exists(Path.GetDirectoryName(port)), "the port's folder was left behind");
    }

    /// <summary>The guard stays while any process of the command lives, not only while one waits.</summary>
    [Fact]
    public async Task A_program_that_starts_after_its_collector_was_killed_is_let_go()
    {
        var tool = Start([Tool, "collect", "-o", Capture, "--kernel", "none", "--", "sh", "-c", $"echo shell; sleep 2; exec dotnet {Target} beat 20000"]);
        Assert.Equal("shell", await tool.StandardOutput.ReadLineAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromSeconds(20), Cancel));
        tool.Kill();
        var pid = 0;
        while (!int.TryParse(await tool.StandardOutput.ReadLineAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromSeconds(30), Cancel), out pid))
        {
            // The runtime prints a line if it waits for seconds.
        }

        Libc.Kill(pid, Libc.SigKill);
    }

    [Fact]
    public async Task A_program_that_waits_for_a_collector_that_is_gone_is_resumed_and_recorded()
    {
        var folder = Path.Combine(_folder, StartupPort.FolderPrefix + "gone");
        var target = Start([Target, "beat", "20000"], (StartupPort.Variable, $"{folder}/{StartupPort.FileName},suspend"));
        await UntilAsync(() => SuspendedTarget.Find(ProcFs.System, target.Id) is not null, "it does not wait");

        var tool = Start([Tool, "collect", "-o", Capture, "--kernel", "none", "-p", target.Id.ToString(), "--duration", "1"]);
        var errors = await tool.StandardError.ReadToEndAsync(Cancel).WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        await tool.WaitForExitAsync(Cancel);
        Assert.Equal(0, tool.ExitCode);
        Assert.Contains("was suspended at its start", errors, StringComparison.Ordinal);
        Assert.True(CaptureManifest.Load(Capture).Streams.Single(stream => stream.File == "runtime.nettrace").Events > 20);
        Assert.False(Directory.Exists(folder));
    }

    /// <summary>Streams, manifest and tables stay below the limit and private, also without the kernel's
    /// stream.</summary>
    [Fact]
    public async Task A_capture_stays_below_its_size_and_is_for_its_user_alone()
    {
        const long most = 10L << 20;
        var tool = Start([Tool, "collect", "-o", Capture, "--kernel", "none", "--max-size", "10MB", "--", "dotnet", Target, "flood", "30000"]);
        await tool.StandardError.ReadToEndAsync(Cancel).WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        await tool.WaitForExitAsync(Cancel);
        Assert.Equal((0, StopReason.MaxSize), (tool.ExitCode, CaptureManifest.Load(Capture).Stop));
        var files = new DirectoryInfo(Capture).EnumerateFiles("*", SearchOption.AllDirectories).ToList();
        Assert.Contains(files, file => file.Name == "work_items.npz");
        Assert.InRange(files.Sum(file => file.Length), most / 3, most);
        foreach (var file in files)
        {
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, OperatingSystem.IsWindows() ? UnixFileMode.None : File.GetUnixFileMode(file.FullName));
        }
    }

    [Fact]
    public async Task A_folder_that_is_removed_ends_the_recording_in_one_line_and_not_the_program()
    {
        var tool = Start([Tool, "collect", "-o", Capture, "--kernel", "none", "--", "dotnet", Target, "beat", "4000"]);
        await tool.StandardOutput.ReadLineAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        await UntilAsync(TryRemove, "the folder cannot be removed");
        var lines = 0;
        while (await tool.StandardOutput.ReadLineAsync(Cancel) is not null)
        {
            lines++;
        }

        var errors = await tool.StandardError.ReadToEndAsync(Cancel);
        await tool.WaitForExitAsync(Cancel);
        Assert.Equal(125, tool.ExitCode);
        Assert.DoesNotContain("internal error", errors, StringComparison.Ordinal);
        Assert.Contains("folder was removed", errors, StringComparison.Ordinal);
        Assert.True(lines > 50, $"it ran for {lines} lines");
    }

    /// <summary>As when the folder is removed while streams are still opening, and the next stream creates it
    /// again.</summary>
    [Fact]
    public async Task A_folder_that_lost_the_runtime_s_stream_ends_the_recording_in_one_line()
    {
        var tool = Start([Tool, "collect", "-o", Capture, "--kernel", "none", "--", "dotnet", Target, "beat", "4000"]);
        await tool.StandardOutput.ReadLineAsync(Cancel).AsTask().WaitAsync(TimeSpan.FromSeconds(20), Cancel);
        File.Delete(Path.Combine(Capture, "runtime.nettrace"));
        await tool.StandardOutput.ReadToEndAsync(Cancel);

        var errors = await tool.StandardError.ReadToEndAsync(Cancel);
        await tool.WaitForExitAsync(Cancel);
        Assert.Equal(125, tool.ExitCode);
        Assert.Contains("runtime.nettrace was removed, and what was recorded with it", errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Diagnostics_that_are_off_are_named(bool inherited)
    {
        const string variable = "DOTNET_EnableDiagnostics";
        string[] command = inherited ? ["dotnet", Target, "beat", "1000"] : ["env", variable + "=0", "dotnet", Target, "beat", "1000"];
        var tool = Start([Tool, "collect", "-o", Capture, "--", .. command], inherited ? (variable, "0") : null);
        var errors = await tool.StandardError.ReadToEndAsync(Cancel).WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        await tool.WaitForExitAsync(Cancel);
        Assert.Equal(125, tool.ExitCode);
        Assert.Contains(variable + "=0", errors, StringComparison.Ordinal);
        Assert.False(Path.Exists(Capture));
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

    /// <summary>Tries to remove the capture. Its files are being created meanwhile.</summary>
    private bool TryRemove()
    {
        try
        {
            Directory.Delete(Capture, recursive: true);
            return true;
        }
        catch (IOException)
        {
            return !Directory.Exists(Capture);
        }
    }

    /// <summary>Returns the .NET program that a collector launched and that waits, and the port on which it
    /// waits.</summary>
    private static async Task<(int Pid, string Port)> WaitingTargetAsync(int tool)
    {
        (int, string)? found = null;
        await UntilAsync(
            () =>
            {
                foreach (var pid in MuteProcesses.Family(ProcFs.System, tool).Skip(1))
                {
                    if (SuspendedTarget.Find(ProcFs.System, pid) is { IsOurs: true } waiting)
                    {
                        found = (pid, waiting.Address);
                    }
                }

                return found is not null;
            },
            "no program waits");
        return found!.Value;
    }

    private static async Task UntilAsync(Func<bool> holds, string otherwise)
    {
        for (var watch = Stopwatch.StartNew(); !holds();)
        {
            Assert.True(watch.Elapsed < TimeSpan.FromSeconds(20), otherwise);
            await Task.Delay(2, Cancel);
        }
    }

    private Process Start(string[] arguments, (string Name, string Value)? variable = null)
    {
        var start = new ProcessStartInfo("dotnet", arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
        };
        if (variable is { } set)
        {
            start.Environment[set.Name] = set.Value;
        }

        var process = Process.Start(start)!;
        _started.Add(process);
        return process;
    }
}
