using System.IO.Compression;
using Microsoft.Diagnostics.Tracing.Etlx;
using Poolscope.Decode.Manifest;
using Xunit;

namespace Poolscope.Decode.Tests.Etw;

/// <summary>A real .etlx on any system: TraceEvent makes one of a nettrace file too, with the same runtime events in it. It
/// holds no kernel events, so the way from the trace to the tables is walked here for the runtime's half.</summary>
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
        Assert.DoesNotContain("thread_states", result.Rows.Keys); // no kernel event: nothing is known, which is not empty
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
    public void A_raw_trace_in_a_capture_needs_Windows()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "this is Windows");
        var folder = Unpack("raw", "runtime.nettrace");
        File.Move(Path.Combine(folder, "runtime.nettrace"), Path.Combine(folder, "kernel.etl"));
        Assert.StartsWith("kernel.etl needs Windows", Assert.Throws<PlatformNotSupportedException>(() => Decode(folder)).Message, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Path.Combine(folder, "tables")));
    }

    private static DecodeResult Decode(string folder) => CaptureDecoder.Decode(folder, cancellation: TestContext.Current.CancellationToken);

    private static byte[] Table(string folder, string name) => File.ReadAllBytes(Path.Combine(folder, "tables", name + ".npz"));

    /// <summary>A capture with nothing but one stream.</summary>
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
