using System.IO.Compression;
using System.Text;
using Poolscope.Collect.Commands.Decoding;
using Poolscope.Collect.Commands.Recipes;
using Poolscope.Collect.Errors;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class OtherToolsVerbTests : IDisposable
{
    private const string Providers =
        "Microsoft-Windows-DotNETRuntime:0x40080014001:5,System.Diagnostics.Eventing.FrameworkEventSource:0x12:5,System.Threading.Tasks.TplEventSource:0xC2:4,"
        + "Microsoft.AspNetCore.Hosting:0xF00000000000:4,Microsoft-AspNetCore-Server-Kestrel:0xF00000000000:4,System.Net.Http:0xF00000000000:4";

    private const string Kernel =
        "perf record -a -k CLOCK_MONOTONIC -m 4M --switch-events -e sched:sched_switch -e sched:sched_waking -e sched:sched_wakeup -e sched:sched_wakeup_new "
        + "-e sched:sched_process_exit -e cpu-clock/freq=997,call-graph=fp/ -o sched.perf.data -- ";

    private readonly RecordingConsole _console = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-tests-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("a.nettrace", "Nettrace\u0014\0\0\0!FastSerialization.1garbage that is no object")]
    [InlineData("a.nettrace", "Nettrace\0\0\0\0\u0006\0\0\0\0\0\0\0")]
    [InlineData("a.netperf", "\u0014\0\0\0!FastSerialization.1")]
    [InlineData("perf.data", "PERFILE2hhhhhhhh")]
    [InlineData("notes.txt", "hello")]
    public async Task Bad_input_is_exit_code_3_and_leaves_nothing_behind(string name, string content)
    {
        var path = Path.Combine(_folder, name);
        await File.WriteAllBytesAsync(path, Encoding.Latin1.GetBytes(content), TestContext.Current.CancellationToken);
        var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeAsync(new DecodeOptions(path)));
        Assert.Equal(ExitCode.Unreadable, refused.ExitCode);
        Assert.Equal([path], Directory.GetFileSystemEntries(_folder));
    }

    [Theory]
    [InlineData("a.etl")]
    [InlineData("a.etlx")]
    public async Task A_trace_of_dotnet_trace_is_read_by_its_content_whatever_it_is_called(string name)
    {
        var path = Path.Combine(_folder, name);
        await using (var archive = File.OpenRead(OtherToolsFiles()))
        {
            new ZipArchive(archive).GetEntry("trace.nettrace")!.ExtractToFile(path);
        }

        Assert.Equal(ExitCode.Ok, await DecodeAsync(new DecodeOptions(path) { Output = Path.Combine(_folder, "made") }));
        Assert.True(File.Exists(Path.Combine(_folder, "made", "tables", "work_items.npz")));
    }

    [Fact]
    public async Task A_folder_with_one_trace_names_the_command_for_it()
    {
        var path = Path.Combine(_folder, "a.nettrace");
        await File.WriteAllTextAsync(path, "Nettrace", TestContext.Current.CancellationToken);
        var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeAsync(new DecodeOptions(_folder)));
        Assert.EndsWith($"poolscope-collect decode {path}", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, null)]
    [InlineData("made", null)]
    [InlineData(null, "perf.data")]
    public async Task What_is_not_there_is_told_before_what_does_not_go_with_it(string? output, string? scheduler)
    {
        var path = Path.Combine(_folder, "none.nettrace");
        var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeAsync(new DecodeOptions(path) { Output = output, Scheduler = scheduler }));
        Assert.Equal((ExitCode.Unreadable, $"there is no file or folder {path}"), (refused.ExitCode, refused.Message));
    }

    [Fact]
    public async Task A_scheduler_file_goes_with_a_nettrace_alone()
    {
        var refused = await Assert.ThrowsAsync<CommandException>(() => DecodeAsync(new DecodeOptions(_folder) { Scheduler = "perf.data" }));
        Assert.Equal(ExitCode.Usage, refused.ExitCode);
    }

    [Fact]
    public async Task The_recipe_of_dotnet_trace_has_one_line_to_run()
    {
        await RecipeCommand.RunAsync(new RecipeOptions(RecipeCommand.DotnetTrace, 4711, TimeSpan.FromSeconds(45.2)), _console);
        Assert.Equal($"dotnet-trace collect -p 4711 --duration 00:00:00:46 --providers {Providers} -o trace.nettrace", Line("dotnet-trace collect"));
    }

    [Fact]
    public async Task The_recipe_of_perf_records_as_long_as_dotnet_trace_does()
    {
        await RecipeCommand.RunAsync(new RecipeOptions(RecipeCommand.Perf, null, RecipeOptions.DefaultDuration), _console);
        Assert.Equal($"{Kernel}dotnet-trace collect -p PID --duration 00:00:00:30 --providers {Providers} -o trace.nettrace", Line("perf record"));
    }

    /// <summary>Returns the path of files that dotnet-trace and perf wrote (traces/other-tools).</summary>
    private static string OtherToolsFiles()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Poolscope.slnx")))
        {
            folder = Path.GetDirectoryName(folder) ?? throw new DirectoryNotFoundException("not in the repository");
        }

        return Path.Combine(folder, "traces", "other-tools", "dotnet-trace-and-perf.zip");
    }

    private string Line(string begin) =>
        Assert.Single(_console.Written.Split(Environment.NewLine), text => text.StartsWith(begin, StringComparison.Ordinal));

    private Task<int> DecodeAsync(DecodeOptions options) =>
        DecodeCommand.RunAsync(options, _console, CaptureTables.DecodeAsync, CancellationToken.None, CaptureTables.Import);
}
