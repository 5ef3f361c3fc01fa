using Poolscope.Decode.Errors;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Fuzz.Corpus;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>Files of version 6, with several processes and the kernel's events, become captures of one
/// process.</summary>
public sealed class SharedTraceTests : IDisposable
{
    private const int Items = 20;

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("poolscope-shared");

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void Of_several_processes_one_has_to_be_named()
    {
        var refused = Assert.Throws<ProcessNotChosenException>(() => Open(new OneCollectContents { BothUsePools = true }));
        Assert.Contains("--process-id", refused.Message, StringComparison.Ordinal);
        Assert.Contains("100 (app, 41 pool events), 200 (other, 41 pool events)", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(200, null, "other")]
    [InlineData(null, "OTHER", "other")]
    [InlineData(100, "app", "app")]
    public void The_process_that_was_named_is_decoded(int? pid, string? name, string expected)
    {
        var (manifest, tables) = Decoded(new OneCollectContents { BothUsePools = true }, pid, name);
        Assert.Equal((expected, expected == "app" ? 100 : 200), (manifest.Target.Name, manifest.Target.Pid));
        var items = tables["work_items"];
        Assert.Equal(Items, items.Count);
        Assert.Equal([manifest.Target.Pid + 2], Enumerable.Range(0, Items).Select(row => items.Int32("worker_tid")[row]).Distinct());
    }

    [Fact]
    public void The_only_process_with_a_pool_needs_no_name()
    {
        var (manifest, tables) = Decoded(new OneCollectContents());
        Assert.Equal(("app", 100, "Linux", "CLOCK_MONOTONIC_RAW", CaptureStatus.Complete), (manifest.Target.Name, manifest.Target.Pid, manifest.Host.Os, manifest.Clock.Id, manifest.Status));
        Assert.Equal(Items, tables["work_items"].Count);
        Assert.Equal(2, manifest.Target.ProcessorCount);
        Assert.DoesNotContain("thread_states", tables.Keys);
    }

    [Fact]
    public void A_process_without_events_of_NET_is_refused_with_those_that_have_some()
    {
        var refused = Assert.Throws<CaptureRefusedException>(() => Open(new OneCollectContents(), 200));
        Assert.Contains("process 200; it has: 100 (app, 41 pool events)", refused.Message, StringComparison.Ordinal);
        refused = Assert.Throws<CaptureRefusedException>(() => Open(new OneCollectContents { WithoutRuntime = true, Switches = true }));
        Assert.Contains("holds no events of .NET, of any process", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Of_a_file_that_lost_its_end_nothing_is_said_about_how_it_was_recorded()
    {
        var path = Write(new OneCollectContents { WithoutRuntime = true, Switches = true });
        File.WriteAllBytes(path, File.ReadAllBytes(path)[..^3]);
        var refused = Assert.Throws<CaptureRefusedException>(() => NettraceImport.Open(path, null, null, Cancellation));
        Assert.Contains("ends in the middle", refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("--providers", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_kernels_events_in_it_give_the_states_of_threads()
    {
        var (manifest, tables) = Decoded(new OneCollectContents { Switches = true });
        Assert.Equal(
            ["how many events were lost", "names of code that was compiled ahead of time", "stacks of CPU samples", "the process's configuration"],
            manifest.Refused.Select(gap => gap.Wanted));
        Assert.Equal(["eventpipe", "tracepoint"], manifest.Streams.Select(stream => stream.Tier));
        Assert.All(manifest.Streams, stream => Assert.Null(stream.Damage));
        Assert.Equal(4 * Items, tables["switches"].Count);
        Assert.Equal(Items, tables["wakeups"].Count);
        Assert.Equal(Items, tables["cpu_samples"].Count);
        Assert.Contains(102, Enumerable.Range(0, tables["thread_states"].Count).Select(row => tables["thread_states"].Int32("tid")[row]));
        Assert.DoesNotContain(-1L, Enumerable.Range(0, Items).Select(row => tables["work_items"].Int64("dequeue")[row]));
    }

    [Theory]
    [InlineData("times off a CPU", "its cswitch events tell how long a thread was off its CPU, and not whether")]
    [InlineData("another kernel", "a layout that is not known")]
    [InlineData("one process", "only the switches of one process were recorded (-p)")]
    [InlineData("nothing", "the file holds no event sched_switch")]
    public void What_the_kernel_did_is_not_guessed(string recorded, string why)
    {
        var (manifest, tables) = Decoded(recorded switch
        {
            "times off a CPU" => new OneCollectContents { OffCpu = true },
            "another kernel" => new OneCollectContents { OtherLayout = true },
            "one process" => new OneCollectContents { Switches = true, OneProcess = true },
            _ => new OneCollectContents(),
        });
        var gap = Assert.Single(manifest.Refused, gap => gap.Stream == "sched.perf.data");
        Assert.Contains(why, gap.Why, StringComparison.Ordinal);
        Assert.Contains("--perf-events sched:sched_switch", gap.How, StringComparison.Ordinal);
        Assert.DoesNotContain("thread_states", tables.Keys);
        Assert.Equal(Items, tables["work_items"].Count);
    }

    [Fact]
    public void Methods_have_the_names_that_the_file_lists()
    {
        var (_, tables) = Decoded(new OneCollectContents());
        var frames = tables["frames"];
        Assert.Equal(("Shop.Cart+<>c.Total", "Shop.dll"), (frames.String("method")[0], frames.String("module")[0]));
    }

    /// <summary>one-collect reports at the end of its file how many events were lost, but not when.</summary>
    [Fact]
    public void Losses_are_those_of_the_whole_recording()
    {
        var (manifest, tables) = Decoded(new OneCollectContents { Lost = 7 });
        Assert.Equal(CaptureStatus.Incomplete, manifest.Status);
        Assert.Equal((1, 7L, -1L), (tables["losses"].Count, tables["losses"].Int64("count")[0], tables["losses"].Int64("start")[0]));
    }

    [Fact]
    public void A_perf_data_beside_it_has_another_clock()
    {
        using var files = new ForeignFiles();
        var path = Write(new OneCollectContents());
        var refused = Assert.Throws<CaptureRefusedException>(() => NettraceImport.Open(path, files.Scheduler, null, Cancellation));
        Assert.Contains("CLOCK_MONOTONIC_RAW", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_a_runtime_wrote_gives_the_same_tables_in_version_6(bool tellsProcesses)
    {
        using var files = new ForeignFiles();
        var before = Tables(files.Trace, "before", null).Tables;
        var pid = NettraceImport.Open(files.Trace, null, null, Cancellation).ProcessId;
        ForeignFiles.Change(files.Trace, bytes => Transcoding.ToVersion6(bytes, new TranscodingOptions { TellsProcesses = tellsProcesses, ForgetsThreads = tellsProcesses, Double = tellsProcesses ? 77 : null }));
        var (manifest, after) = Tables(files.Trace, "after", tellsProcesses ? pid : null);
        Assert.Equal("runtimes-target", manifest.Target.Name);
        Assert.Equal(before.Keys, after.Keys);
        Assert.Contains("frames", after.Keys);
        foreach (var name in before.Keys.Where(name => name != "streams"))
        {
            Assert.Equal(TableRows.Of(before[name]), TableRows.Of(after[name]));
        }
    }

    private string Write(OneCollectContents contents)
    {
        var path = Path.Combine(_folder.FullName, "shared.nettrace");
        File.WriteAllBytes(path, OneCollectFile.Of(contents));
        return path;
    }

    private ForeignRecording Open(OneCollectContents contents, int? pid = null, string? name = null) =>
        NettraceImport.Open(Write(contents), null, null, Cancellation, pid, name);

    private (CaptureManifest Manifest, IReadOnlyDictionary<string, Table> Tables) Decoded(OneCollectContents contents, int? pid = null, string? name = null) =>
        Decoded(Open(contents, pid, name), "made");

    private (CaptureManifest Manifest, IReadOnlyDictionary<string, Table> Tables) Tables(string trace, string folder, int? pid) =>
        Decoded(NettraceImport.Open(trace, null, null, Cancellation, pid), folder);

    private (CaptureManifest Manifest, IReadOnlyDictionary<string, Table> Tables) Decoded(ForeignRecording recording, string name)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder.FullName, name)).FullName;
        NettraceImport.Write(recording, folder, new ToolInfo("test", "1"), Cancellation);
        var decoded = CaptureDecoder.Read(folder, null, Cancellation);
        return (decoded.Capture.Completed(), decoded.Tables.ToDictionary(table => table.Schema.Name));
    }
}
