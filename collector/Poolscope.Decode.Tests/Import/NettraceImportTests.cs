using System.Buffers.Binary;
using Poolscope.Decode.Errors;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>Files that dotnet-trace 10.0 and perf 6.1 wrote: 46 work items were queued before the process ended, and 10
/// taken.</summary>
public sealed class NettraceImportTests : IDisposable
{
    private const int WorkItems = 46;
    private const int Taken = 10;

    // Bytes of a sched_switch record in sched.perf.data.
    private const int SwitchRecord = 128;

    private readonly ForeignFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData("dotnet /srv/app.dll --urls http://localhost", "app")]
    [InlineData("\"C:\\Program Files\\dotnet\\dotnet.exe\" \"C:\\My Apps\\shop.dll\" -v", "shop")]
    [InlineData("\"C:\\My Apps\\shop.exe\"", "shop.exe")]
    [InlineData("", "")]
    public void A_program_is_named_by_its_command_line(string commandLine, string name) => Assert.Equal(name, ForeignRecording.NameIn(commandLine));

    [Fact]
    public void Both_files_become_a_capture_with_all_items_joined_and_the_states_of_their_threads()
    {
        var (manifest, tables) = Decoded(_files.Scheduler);
        Assert.Equal((CaptureStatus.Complete, "CLOCK_MONOTONIC", "box", ".NET 10.0.12"), (manifest.Status, manifest.Clock.Id, manifest.Host.Name, manifest.Target.Runtime));
        Assert.Equal(("runtimes-target", true), (manifest.Target.Name, manifest.Target.Launched));
        Assert.Equal(
            [new SourceFile("runtime.nettrace", "trace.nettrace", "nettrace"), new SourceFile("sched.perf.data", "sched.perf.data", "perf.data")],
            manifest.MadeFrom!);
        Assert.Equal(["the process's configuration"], manifest.Refused.Select(gap => gap.Wanted));
        Assert.Equal(("unknown", "unknown"), (manifest.Target.MinThreads.Known, manifest.Target.MaxThreads.Known));

        var items = tables["work_items"];
        Assert.Equal(WorkItems, items.Count);
        Assert.DoesNotContain(-1L, Times(items, "enqueue"));
        Assert.Equal(Taken, Times(items, "dequeue").Count(time => time >= 0));

        // The workers' states are known while they ran items, so the files share one clock and one set of thread ids.
        var workers = Threads(items, "worker_tid").Where(thread => thread >= 0).ToHashSet();
        Assert.Subset(Threads(tables["thread_states"], "tid").ToHashSet(), workers);
        Assert.Contains("tracepoint", manifest.Streams.Select(stream => stream.Tier));
    }

    [Fact]
    public void The_rundown_is_no_part_of_what_was_recorded()
    {
        var contents = NettraceImport.Open(_files.Trace, null, null, TestContext.Current.CancellationToken).Contents;
        var (manifest, tables) = Decoded(scheduler: null);
        var recording = Assert.Single(manifest.Phases);
        Assert.Equal((contents.StartNs, contents.EndNs), (recording.StartNs, recording.EndNs));
        Assert.True(contents.HasRundown);
        Assert.All(Times(tables["work_items"], "enqueue"), time => Assert.InRange(time, recording.StartNs, recording.EndNs));
        Assert.Contains("System.Threading", string.Join(' ', Names(tables["frames"])), StringComparison.Ordinal);
    }

    [Fact]
    public void Without_perf_the_capture_says_what_is_missing_and_how_to_record_it()
    {
        var (manifest, tables) = Decoded(scheduler: null);
        Assert.DoesNotContain("thread_states", tables.Keys);
        var kernel = Assert.Single(manifest.Refused, gap => gap.Stream == "sched.perf.data");
        Assert.Contains("poolscope recipe perf", kernel.How, StringComparison.Ordinal);
        Assert.Equal(WorkItems, tables["work_items"].Count);
    }

    [Fact]
    public void A_file_that_ends_early_gives_what_it_has_and_says_so()
    {
        ForeignFiles.Change(_files.Trace, bytes => bytes[..(bytes.Length / 2)]);
        var (manifest, _) = Decoded(scheduler: null);
        Assert.Equal(CaptureStatus.Cut, manifest.Status);
    }

    [Fact]
    public void Damage_ends_what_is_taken_and_is_told()
    {
        ForeignFiles.Change(_files.Trace, bytes =>
        {
            bytes.AsSpan(bytes.Length / 2, 64).Fill(0xff);
            return bytes;
        });
        var (manifest, _) = Decoded(scheduler: null);
        Assert.NotNull(Assert.Single(manifest.Streams, stream => stream.File == "runtime.nettrace").Damage);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Where_perf_ran_without_switch_events_and_switches_are_missing_the_option_is_named(bool missing)
    {
        if (missing)
        {
            ForeignFiles.Change(_files.Scheduler, WithoutSomeSwitches);
        }

        var (manifest, _) = Decoded(_files.Scheduler);
        var gaps = manifest.Refused.Where(gap => gap.Wanted == "all switches").ToList();
        Assert.Equal(missing, gaps.Count > 0);
        Assert.All(gaps, gap => Assert.Contains("--switch-events", gap.How, StringComparison.Ordinal));
    }

    /// <summary>Turns every fifth switch into a record of an unknown kind.</summary>
    private static byte[] WithoutSomeSwitches(byte[] bytes)
    {
        const int dataSection = 40;
        const int sample = 9;
        const int unknown = 1 << 20;
        var at = (int)BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(dataSection));
        var end = at + (int)BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(dataSection + 8));
        var switches = 0;
        for (int length; at < end; at += length)
        {
            var record = bytes.AsSpan(at);
            length = BinaryPrimitives.ReadUInt16LittleEndian(record[6..]);
            if (BinaryPrimitives.ReadInt32LittleEndian(record) == sample && length == SwitchRecord && ++switches % 5 == 0)
            {
                BinaryPrimitives.WriteInt32LittleEndian(record, unknown);
            }
        }

        Assert.True(switches > 1000, "the records of switches are found by their length");
        return bytes;
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(100, 0)]
    [InlineData(100, 5000)]
    public void A_stream_that_breaks_off_in_its_rundown_or_behind_it_ends_when_its_recording_did(int cut, int more)
    {
        ForeignFiles.Change(_files.Trace, bytes => [.. bytes[..^cut], .. new byte[more]]);
        var contents = NettraceImport.Open(_files.Trace, null, null, TestContext.Current.CancellationToken).Contents;
        var (manifest, tables) = Decoded(scheduler: null);
        var stream = Assert.Single(manifest.Streams, stream => stream.File == "runtime.nettrace");
        Assert.Equal((CaptureStatus.Cut, contents.EndNs), (manifest.Status, stream.EndNs));
        Assert.Equal(contents.EndNs, tables["streams"].Int64("end")[0]);
    }

    [Fact]
    public void Bytes_behind_the_preamble_that_make_no_header_are_refused()
    {
        ForeignFiles.Change(_files.Trace, bytes => [.. bytes[..32], .. new byte[200]]);
        Assert.Throws<CaptureRefusedException>(() => NettraceImport.Open(_files.Trace, null, null, TestContext.Current.CancellationToken));
    }

    private static IEnumerable<long> Times(Table table, string column) => Enumerable.Range(0, table.Count).Select(row => table.Int64(column)[row]);

    private static IEnumerable<int> Threads(Table table, string column) => Enumerable.Range(0, table.Count).Select(row => table.Int32(column)[row]);

    private static IEnumerable<string> Names(Table frames) => Enumerable.Range(0, frames.Count).Select(row => frames.String("method")[row] ?? "");

    private (CaptureManifest Manifest, IReadOnlyDictionary<string, Table> Tables) Decoded(string? scheduler)
    {
        var folder = _files.NewCapture();
        var cancel = TestContext.Current.CancellationToken;
        NettraceImport.Write(NettraceImport.Open(_files.Trace, scheduler, null, cancel), folder, new ToolInfo("test", "1"), cancel);
        var decoded = CaptureDecoder.Read(folder, null, cancel);
        return (decoded.Capture.Completed(), decoded.Tables.ToDictionary(table => table.Schema.Name));
    }
}
