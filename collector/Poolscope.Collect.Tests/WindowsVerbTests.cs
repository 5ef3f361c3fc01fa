using Microsoft.Diagnostics.Tracing.Parsers;
using Poolscope.Collect.Commands.Collecting;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Commands.Recipes;
using Poolscope.Collect.Errors;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Processes;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Windows;
using Poolscope.Decode.Manifest;
using Poolscope.Etw.Capture;
using Poolscope.Etw.Reading;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>Behaviour on Windows that can be tested without Windows.</summary>
public sealed class WindowsVerbTests : IDisposable
{
    private readonly RecordingConsole _console = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-windows-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("tp.etl", "", "tp.etl is not an .etl file")]
    [InlineData("tp.etl.zip", "", "tp.etl.zip is not an .etl file")]
    [InlineData("tp.etl.zip", "PK", "tp.etl.zip cannot be read")]
    public async Task A_raw_trace_that_is_none_is_refused_and_leaves_nothing_behind(string name, string content, string message)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "TraceEvent refuses it in its own words");
        var trace = Path.Combine(_folder, name);
        await File.WriteAllTextAsync(trace, content, TestContext.Current.CancellationToken);
        var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeAsync(new DecodeOptions(trace)));
        Assert.Equal(ExitCode.Unreadable, refused.ExitCode);
        Assert.StartsWith(message, refused.Message, StringComparison.Ordinal);
        Assert.Equal([trace], Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public async Task A_capture_that_Windows_recorded_is_decoded_anywhere()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "TraceEvent refuses it in its own words");
        var capture = new EtwCapture(_folder, Target(), EtwCapture.Clock());
        capture.End(StopReason.Duration, 1, 2, 3, exitCode: null);
        await File.WriteAllTextAsync(Path.Combine(_folder, EtwCapture.FileName), "", TestContext.Current.CancellationToken);
        var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeAsync(new DecodeOptions(_folder)));
        Assert.Equal(ExitCode.Unreadable, refused.ExitCode);
        Assert.Contains("kernel.etl is not an .etl file", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_kernel_tier_of_Windows_needs_Windows()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "this is Windows");
        using var stop = new StopRequest();
        var collect = new CollectCommand(_console, ProcFs.System, [], (_, _, _) => Task.CompletedTask);
        var refused = await Assert.ThrowsAsync<CommandException>(() => collect.RunAsync(new CollectOptions { ProcessId = 1, Kernel = KernelChoice.Etw }, stop));
        Assert.Equal(ExitCode.Unreadable, refused.ExitCode);
        Assert.StartsWith("--kernel etw needs Windows", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_process_that_the_trace_does_not_have_is_exit_code_3()
    {
        var trace = await TraceAsync();
        var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeCommand.RunAsync(
            new DecodeOptions(trace), _console, Nothing, CancellationToken.None, (_, _, _) => throw new CommandException(ExitCode.Unreadable, "no process 5")));
        Assert.Equal((ExitCode.Unreadable, "no process 5"), (refused.ExitCode, refused.Message));
        Assert.Equal([trace], Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public async Task The_capture_is_made_beside_the_trace_and_again_in_its_place()
    {
        var trace = await TraceAsync();
        for (var time = 1; time <= 2; time++)
        {
            var code = await DecodeCommand.RunAsync(new DecodeOptions(trace), _console, Nothing, CancellationToken.None, (_, folder, _) =>
            {
                new EtwCapture(folder, Target(), EtwCapture.Clock()).End(StopReason.Duration, 1, 2, 3, exitCode: null);
                return new TraceProcessInfo(7, "app", "", 5, false);
            });
            Assert.Equal(ExitCode.Ok, code);
        }

        Assert.True(File.Exists(Path.Combine(_folder, "tp.poolscope", CaptureManifest.FileName)));
        Assert.Contains("Decoded app (7), the process with the most work items.", _console.Complained, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, "Decoded PerfView (7), which recorded the trace: no other process has work items.")]
    [InlineData(7, "Decoded PerfView (7). ")]
    public async Task The_recorder_itself_is_named_as_such_unless_it_was_asked_for(int? pid, string said)
    {
        var trace = await TraceAsync();
        await DecodeCommand.RunAsync(new DecodeOptions(trace) { ProcessId = pid }, _console, Nothing, CancellationToken.None, (_, folder, _) =>
        {
            new EtwCapture(folder, Target(), EtwCapture.Clock()).End(StopReason.Duration, 1, 2, 3, exitCode: null);
            return new TraceProcessInfo(7, "PerfView", "", 5, true);
        });
        Assert.Contains(said, _console.Complained, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_capture_is_not_written_over()
    {
        var trace = await TraceAsync();
        var other = Directory.CreateDirectory(Path.Combine(_folder, "other")).FullName;
        await File.WriteAllTextAsync(Path.Combine(other, CaptureManifest.FileName), "{}", TestContext.Current.CancellationToken);
        var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeCommand.RunAsync(
            new DecodeOptions(trace) { Output = other }, _console, Nothing, CancellationToken.None, (_, _, _) => throw new InvalidOperationException("must not be asked")));
        Assert.Equal(ExitCode.Usage, refused.ExitCode);
        Assert.Contains("is not empty", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_of_a_trace_mean_nothing_to_a_capture()
    {
        foreach (var options in new[] { new DecodeOptions(_folder) { ProcessId = 1 }, new DecodeOptions(_folder) { Name = "a" }, new DecodeOptions(_folder) { Output = "b" } })
        {
            var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeAsync(options));
            Assert.Equal(ExitCode.Usage, refused.ExitCode);
            Assert.StartsWith("-p, -n and -o are for traces of other tools", refused.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_session_of_ETW_asks_for_what_the_EventPipe_sessions_ask_for(bool requests)
    {
        // Source lines are decoded from EventPipe's rundowns only.
        const ulong instructionMaps = 0x2_0000;
        var expected = SessionPlan.Runtime(1, stacks: false, requests, activities: []).Providers.Concat(SessionPlan.Waits(1, methodLoads: true).Providers)
            .GroupBy(p => p.Name)
            .ToDictionary(same => same.Key, same => (Level: (int)same.Max(p => p.EventLevel), Keywords: (ulong)same.Aggregate(0L, (all, p) => all | p.Keywords) & ~instructionMaps));
        Assert.Equal(requests, expected.ContainsKey(RuntimeEvents.Hosting));
        Assert.Equal(expected, EtwPlan.Providers(requests).ToDictionary(p => p.Name, p => (Level: (int)p.Level, p.Keywords)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void TCP_is_recorded_unless_it_is_left_out(bool sockets)
    {
        Assert.Equal(sockets, EtwPlan.Kernel(sockets).HasFlag(KernelTraceEventParser.Keywords.NetworkTCPIP));
        Assert.Equal(EtwPlan.KernelStacks, EtwPlan.Kernel(sockets) & EtwPlan.KernelStacks);
        Assert.False(EtwPlan.KernelStacks.HasFlag(KernelTraceEventParser.Keywords.NetworkTCPIP)); // a stack each would be most of the cost
    }

    [Theory]
    [InlineData(true, true, 99, 999, StopReason.Signal)]
    [InlineData(false, true, 99, 999, StopReason.TargetExit)]
    [InlineData(false, false, 30, 0, StopReason.Duration)]
    [InlineData(false, false, 29, 100, StopReason.MaxSize)]
    [InlineData(false, false, 29, 99, null)]
    public void Whatever_comes_first_ends_a_recording(bool signalled, bool exited, int seconds, long bytes, string? reason)
    {
        var options = new CollectOptions { Duration = TimeSpan.FromSeconds(30), MaxBytes = 100 };
        Assert.Equal(reason, EtwCapture.StopReasonOf(signalled, exited, TimeSpan.FromSeconds(seconds), options, bytes));
    }

    [Fact]
    public void Work_items_of_NET_Framework_are_marked()
    {
        var manifest = new EtwCapture(_folder, Target() with { Runtime = ".NET Framework" }, EtwCapture.Clock()).End(StopReason.Signal, 1, 2, 3, 0);
        Assert.Contains("address", Assert.Single(manifest.Refused).Why, StringComparison.Ordinal);
        Assert.Equal("etw", Assert.Single(CaptureManifest.Load(_folder).Streams).Tier);
    }

    [Fact]
    public async Task The_recipe_has_one_line_to_run()
    {
        await RecipeCommand.RunAsync(new RecipeOptions(RecipeCommand.PerfView, 4711, TimeSpan.FromSeconds(45.2)), _console);
        var line = Assert.Single(_console.Written.Split(Environment.NewLine), text => text.StartsWith("PerfView.exe /AcceptEULA /NoGui /LogFile", StringComparison.Ordinal));
        Assert.Equal(
            "PerfView.exe /AcceptEULA /NoGui /LogFile:tp.log /DataFile:tp.etl /ThreadTime /BufferSizeMB:256 /CircularMB:4000 \"/ClrEvents:Default,WaitHandle\" /ClrEventLevel:Verbose /TplEvents:Default \"/Providers:*Microsoft.AspNetCore.Hosting:0xFFFFFFFFFFFFFFFF:4,*Microsoft-AspNetCore-Server-Kestrel:0xFFFFFFFFFFFFFFFF:4,*System.Net.Http:0xFFFFFFFFFFFFFFFF:4\" /FocusProcess:4711 /MaxCollectSec:46 /Merge:true /Zip:true collect",
            line);
        Assert.Contains("poolscope-collect decode tp.etl.zip -p 4711", _console.Written, StringComparison.Ordinal);
        Assert.Empty(_console.Complained);
    }

    [Fact]
    public void What_PerfView_turns_on_holds_sockets_and_the_end_of_requests()
    {
        Assert.True(KernelTraceEventParser.Keywords.ThreadTime.HasFlag(EtwPlan.Kernel(sockets: true)));
        Assert.Equal(RuntimeEvents.ActivityFlow, (long)TplEtwProviderTraceEventParser.Keywords.Default & RuntimeEvents.ActivityFlow);
        Assert.Equal(RuntimeEvents.TplKeywords, (long)TplEtwProviderTraceEventParser.Keywords.Default & RuntimeEvents.TplKeywords);
    }

    [Fact]
    public async Task Without_a_process_the_recipe_records_all_of_them()
    {
        await RecipeCommand.RunAsync(new RecipeOptions(RecipeCommand.PerfView, null, RecipeOptions.DefaultDuration), _console);
        Assert.DoesNotContain("/FocusProcess:", _console.Written, StringComparison.Ordinal);
        Assert.Contains("/MaxCollectSec:30 ", _console.Written, StringComparison.Ordinal);
        Assert.DoesNotContain("tp.etl.zip -p", _console.Written, StringComparison.Ordinal);
    }

    private static TargetInfo Target() => new()
    {
        Pid = 7,
        Name = "app",
        Command = ["app"],
        Launched = false,
        CpusAllowed = 2,
        ProcessorCount = 2,
        MinThreads = new KnownValue(2, "default"),
        MaxThreads = new KnownValue(32767, "default"),
    };

    private static Task Nothing(string folder, IProgress<string> say, CancellationToken cancel) => Task.CompletedTask;

    private Task<int> DecodeAsync(DecodeOptions options) =>
        DecodeCommand.RunAsync(options, _console, CaptureTables.DecodeAsync, CancellationToken.None, CaptureTables.Import);

    private async Task<string> TraceAsync()
    {
        var trace = Path.Combine(_folder, "tp.etl.zip");
        await File.WriteAllTextAsync(trace, "", TestContext.Current.CancellationToken);
        return trace;
    }
}
