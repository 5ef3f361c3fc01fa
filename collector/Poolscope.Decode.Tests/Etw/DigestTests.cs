using System.IO.Compression;
using Microsoft.Diagnostics.Tracing.Etlx;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Xunit;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>A real .etlx on any system: TraceEvent also makes one from a nettrace file, with the same runtime events.
/// It holds no kernel events, so these tests cover the runtime's half of the way from trace to tables.</summary>
public sealed class DigestTests : IDisposable
{
    private const string Golden = "injection-delay";

    private static readonly string[] RuntimeTables =
    [
        "work_items", "tasks", "task_waits", "pool_changes", "hill_climbing", "pool_limits", "workers", "parked", "suspensions", "threads",
    ];

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-etlx-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void The_runtime_s_tables_are_those_of_the_nettrace_file()
    {
        var nettrace = Unpack("nettrace", "runtime.nettrace");
        var etlx = Digest("etlx", "runtime.nettrace", "kernel.etlx");

        Decode(nettrace);
        var result = Decode(etlx);

        Assert.True(result.Items.Joined > 0);
        foreach (var table in RuntimeTables)
        {
            Assert.Equal(Table(nettrace, table), Table(etlx, table));
        }

        Assert.Equal("etw", Assert.Single(result.Streams).Tier);
        Assert.Equal(0, result.Rows["losses"]);
        Assert.DoesNotContain("thread_states", result.Rows.Keys); // no kernel event: unknown, which is not empty
    }

    [Fact]
    public void A_trace_may_lie_beside_the_capture_and_decode_again_finds_it()
    {
        var etlx = Digest("etlx", "runtime.nettrace", "../elsewhere.etlx");
        var first = Decode(etlx);
        var second = Decode(etlx);
        Assert.True(first.Items.Joined > 0);
        Assert.Equal(first.Rows, second.Rows);
        Assert.Equal(first.Streams, second.Streams);
    }

    [Fact]
    public void A_foreign_trace_counts_from_where_its_work_items_were_switched_on()
    {
        var name = Guid.Parse("55289187-7f82-5b3d-82d7-eb779e673075");
        var first = -1L;
        NettraceReader.Read(
            Path.Combine(Unpack("nettrace", "runtime.nettrace"), "runtime.nettrace"),
            StreamBounds.None,
            (in RawEvent e) => first = first < 0 && e.Provider == name ? e.Time : first,
            cancellation: TestContext.Current.CancellationToken);
        var known = CaptureManifest.Load(Digest("etlx", "runtime.nettrace", "../elsewhere.etlx"));
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "imported")).FullName;

        var process = TraceImport.Import(Path.Combine(_folder, "elsewhere.etlx"), folder, new ToolInfo("test", "1"), pid: null, name: null, progress: null, out _);
        var result = Decode(folder);

        var manifest = CaptureManifest.Load(folder);
        var stream = Assert.Single(manifest.Streams);
        Assert.Equal((known.Target.Pid, known.Target.Pid), (process?.Pid, manifest.Target.Pid));
        Assert.Equal("../elsewhere.etlx", stream.File);
        Assert.True(manifest.Clock.StartNs < stream.StartNs);
        Assert.Equal(first, stream.StartNs);
        Assert.True(result.Items.Joined > 0);
    }

    [Fact]
    public void A_process_that_a_trace_does_not_have_is_refused_and_nothing_is_written()
    {
        Digest("etlx", "runtime.nettrace", "../elsewhere.etlx");
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "imported")).FullName;
        Assert.Null(TraceImport.Import(Path.Combine(_folder, "elsewhere.etlx"), folder, new ToolInfo("test", "1"), pid: 1, name: null, progress: null, out var refusal));
        Assert.StartsWith("no process 1 with thread-pool work items in the trace; it has: ", refusal, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(folder));
    }

    [Fact]
    public void A_trace_that_was_left_behind_is_named_and_the_tables_stay()
    {
        var etlx = Digest("etlx", "runtime.nettrace", "../elsewhere.etlx");
        Decode(etlx);
        File.Delete(Path.Combine(_folder, "elsewhere.etlx"));
        Assert.StartsWith("../elsewhere.etlx is not there", Assert.Throws<DecodeException>(() => Decode(etlx)).Message, StringComparison.Ordinal);
        Assert.NotEmpty(Table(etlx, "work_items"));
    }

    [Fact]
    public void Waits_have_their_stacks_with_names()
    {
        var etlx = Digest("etlx", "waits.nettrace", "kernel.etlx");
        var result = Decode(etlx);
        Assert.True(result.Rows["waits"] > 0);
        Assert.True(result.Rows["stacks"] > result.Rows["frames"]);
        Assert.Contains("WorkloadRun.Generate"u8.ToArray(), Table(etlx, "frames"));
        Assert.DoesNotContain("Action`1"u8.ToArray(), Table(etlx, "frames")); // signatures are cut off
    }

    [Fact]
    public void What_is_no_trace_is_refused_and_leaves_no_tables()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "TraceEvent refuses it in its own words");
        var folder = Unpack("raw", "runtime.nettrace");
        File.Move(Path.Combine(folder, "runtime.nettrace"), Path.Combine(folder, "kernel.etl"));
        Assert.StartsWith("kernel.etl is not an .etl file", Assert.Throws<DecodeException>(() => Decode(folder)).Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Path.Combine(folder, "tables")));
    }

    private static DecodeResult Decode(string folder) => CaptureDecoder.Decode(folder, cancellation: TestContext.Current.CancellationToken);

    private static byte[] Table(string folder, string name) => File.ReadAllBytes(Path.Combine(folder, "tables", name + ".npz"));

    /// <summary>Makes a capture with a single stream.</summary>
    private string Unpack(string name, string stream)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, name)).FullName;
        using var zip = ZipFile.OpenRead(Path.Combine(Repository(), "traces", "golden", Golden + ".zip"));
        zip.GetEntry(CaptureManifest.FileName)!.ExtractToFile(Path.Combine(folder, CaptureManifest.FileName));
        zip.GetEntry(stream)!.ExtractToFile(Path.Combine(folder, stream));
        var manifest = CaptureManifest.Load(folder);
        (manifest with { Streams = [.. manifest.Streams.Where(s => s.File == stream)] }).Save(folder);
        return folder;
    }

    private string Digest(string name, string stream, string file)
    {
        var folder = Unpack(name, stream);
        var path = Path.Combine(folder, stream);
        TraceLog.CreateFromEventPipeDataFile(path, Path.Combine(folder, file), new TraceLogOptions { KeepAllEvents = true });
        File.Delete(path);
        var manifest = CaptureManifest.Load(folder);
        (manifest with { Streams = [.. manifest.Streams.Select(s => s with { File = file, Tier = "etw" })] }).Save(folder);
        return folder;
    }

    private static string Repository()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Poolscope.slnx")))
        {
            folder = Path.GetDirectoryName(folder) ?? throw new DirectoryNotFoundException("not in the repository");
        }

        return folder;
    }
}
