using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Etlx;
using Poolscope.Decode.Events;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Runtime;
using Poolscope.Decode.Stacks;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Fuzz.Corpus;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

/// <summary>Real streams of version 4, rewritten in version 6, give the same events as before and as Microsoft's own
/// reader.</summary>
public sealed class Version6Tests
{
    private static readonly Dictionary<string, TranscodingOptions> Forms = new()
    {
        ["plain"] = new(),
        ["whole headers"] = new() { Compressed = false },
        ["threads forgotten"] = new() { ForgetsThreads = true, TellsProcesses = true },
        ["kinds forgotten"] = new() { ForgetsKinds = true, ForgetsThreads = true },
        ["names hidden"] = new() { HidesNames = true },
    };

    public static TheoryData<string, string> Streams
    {
        get
        {
            var data = new TheoryData<string, string>();
            foreach (var form in Forms.Keys)
            {
                data.Add("healthy", form);
                data.Add("sync-over-async", form);
                data.Add("core-contention", form);
            }

            return data;
        }
    }

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(Streams))]
    public void Event_by_event_as_TraceEvent_reads_it(string golden, string form)
    {
        using var capture = Transcoded(golden, "runtime.nettrace", form);
        var (ours, theirs) = (new List<string>(), new List<string>());
        var summary = NettraceReader.Read(
            capture.PathOf("runtime.nettrace"),
            StreamBounds.None,
            (in RawEvent e) => ours.Add($"{e.Time} {e.Id} {e.ProcessId} {e.Tid} {e.Activity} {e.Related} {Convert.ToHexString(e.Payload)}"),
            cancellation: Cancellation);

        using var source = new EventPipeEventSource(capture.PathOf("runtime.nettrace"));
        source.AllEvents += e =>
        {
#pragma warning disable CS0618 // "Not obsolete but discouraged": both read the raw tick.
            theirs.Add($"{e.TimeStampQPC} {(int)e.ID} {e.ProcessID} {e.ThreadID} {e.ActivityID} {e.RelatedActivityID} {Convert.ToHexString(e.EventData())}");
#pragma warning restore CS0618
        };
        source.Process();

        Assert.Equal(theirs, ours);
        Assert.Equal((ours.Count, false, (string?)null, (long)source.EventsLost), ((int)summary.Events, summary.Cut, summary.Damage, summary.Lost));
        Assert.True(ours.Count > 100, $"{ours.Count} events");
    }

    [Theory]
    [MemberData(nameof(Streams))]
    public void The_tables_are_those_of_version_4(string golden, string form)
    {
        using var before = new GoldenCapture(golden);
        using var after = Transcoded(golden, "runtime.nettrace", form);
        var (expected, actual) = (Arrays(before), Arrays(after));
        Assert.Equal(expected.Keys, actual.Keys);
        Assert.All(expected, array => Assert.True(array.Value.AsSpan().SequenceEqual(actual[array.Key]), array.Key));
        Assert.NotEmpty(actual["work_items.enqueue"]);
    }

    [Theory]
    [InlineData("plain")]
    [InlineData("threads forgotten")]
    [InlineData("whole headers")]
    public void Stack_by_stack_as_TraceEvent_reads_it(string form)
    {
        using var capture = Transcoded("sync-over-async", "waits.nettrace", form);
        var path = capture.PathOf("waits.nettrace");
        var ours = new List<string>();
        NettraceStackReader.Read(path, StreamBounds.None, (kind, tid, time, stack) => ours.Add($"{time} {tid} {Addresses(stack)}"), Cancellation);

        var etlx = capture.PathOf("x.etlx");
        TraceLog.CreateFromEventPipeDataFile(path, etlx, new TraceLogOptions { KeepAllEvents = true, ConversionLog = TextWriter.Null });
        using var log = new TraceLog(etlx);
        var theirs = new List<string>();
        foreach (var e in log.Events)
        {
            var addresses = new List<ulong>();
            for (var frame = e.CallStack(); frame is not null; frame = frame.Caller)
            {
                addresses.Add(frame.CodeAddress.Address);
            }

            if (addresses.Count > 0)
            {
#pragma warning disable CS0618 // "Not obsolete but discouraged": both read the raw tick.
                theirs.Add($"{e.TimeStampQPC} {e.ThreadID} {string.Join(' ', addresses)}");
#pragma warning restore CS0618
            }
        }

        // A TraceLog keeps no stacks of its own events (methods, modules).
        Assert.True(theirs.Count > 20, $"{theirs.Count} stacks");
        Assert.Subset(ours.ToHashSet(), theirs.ToHashSet());
    }

    [Fact]
    public void Stacks_are_those_of_version_4()
    {
        using var before = new GoldenCapture("sync-over-async");
        using var after = Transcoded("sync-over-async", "waits.nettrace", "threads forgotten");
        Assert.Equal(Stacks(before), Stacks(after));
    }

    /// <summary>Each of two processes gives the same events as alone.</summary>
    [Fact]
    public void A_process_is_read_as_if_it_were_alone()
    {
        using var capture = new GoldenCapture("healthy");
        var alone = Lines(capture.PathOf("runtime.nettrace"), StreamBounds.None, shift: 0);
        capture.Change("runtime.nettrace", bytes => Transcoding.ToVersion6(bytes, new TranscodingOptions { TellsProcesses = true, Double = 77 }));
        var path = capture.PathOf("runtime.nettrace");
        var target = NettraceFile.ReadHeader(path, StreamBounds.None, out _)!;
        Assert.Equal((6, -1), (target.Version, target.ProcessId));
        var first = Lines(path, StreamBounds.None with { ProcessId = CaptureManifest.Load(capture.Folder).Target.Pid }, shift: 0);
        var second = Lines(path, StreamBounds.None with { ProcessId = 77 }, shift: 1000);
        Assert.Equal(alone, first);
        Assert.Equal(alone, second);
        Assert.Equal(2 * alone.Count, Lines(path, StreamBounds.None, shift: 0).Count);
        Assert.Empty(Lines(path, StreamBounds.None with { ProcessId = 78 }, shift: 0));
    }

    private static GoldenCapture Transcoded(string golden, string file, string form)
    {
        var capture = new GoldenCapture(golden);
        capture.Change(file, bytes => Transcoding.ToVersion6(bytes, Forms[form]));
        return capture;
    }

    private static List<string> Lines(string path, StreamBounds bounds, int shift)
    {
        var lines = new List<string>();
        NettraceReader.Read(path, bounds, (in RawEvent e) => lines.Add($"{e.Time} {e.Id} {e.Tid - shift} {Convert.ToHexString(e.Payload)}"), cancellation: Cancellation);
        return lines;
    }

    private static List<string> Stacks(GoldenCapture capture)
    {
        var stacks = new List<string>();
        NettraceStackReader.Read(
            capture.PathOf("waits.nettrace"), StreamBounds.None, (kind, tid, time, stack) => stacks.Add($"{kind.Provider} {kind.EventId} {time} {tid} {Addresses(stack)}"), Cancellation);
        Assert.NotEmpty(stacks);
        return stacks;
    }

    private static string Addresses(ReadOnlySpan<byte> stack) =>
        string.Join(' ', System.Runtime.InteropServices.MemoryMarshal.Cast<byte, ulong>(stack).ToArray());

    private static Dictionary<string, byte[]> Arrays(GoldenCapture capture)
    {
        var tables = new RuntimeTables();
        var decoder = new EventDecoder(tables);
        NettraceReader.Read(capture.PathOf("runtime.nettrace"), StreamBounds.None, decoder.Decode, decoder, counts: null, progress: null, Cancellation);
        return tables.Tables()
            .SelectMany(table => table.ToArrays().Select(array => (Name: $"{table.Schema.Name}.{array.Name}", array.Bytes)))
            .ToDictionary(array => array.Name, array => array.Bytes.ToArray());
    }
}
