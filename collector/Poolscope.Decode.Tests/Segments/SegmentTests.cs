using Microsoft.Diagnostics.Tracing;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Segments;
using Poolscope.Decode.Stacks;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Segments;

/// <summary>Real streams are cut wherever possible. Whatever part is joined again, two readers find in it exactly the
/// events of that part of the stream, with their stacks, and no loss.</summary>
public sealed class SegmentTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-segments").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    public static TheoryData<string, string> Streams => new()
    {
        { "healthy", "runtime.nettrace" },
        { "healthy", "waits.nettrace" },
        { "sync-over-async", "runtime.nettrace" },
        { "sync-over-async", "waits.nettrace" },
        { "core-contention", "runtime.nettrace" },
    };

    [Theory]
    [MemberData(nameof(Streams))]
    public void Joined_again_it_is_the_same_stream(string golden, string file)
    {
        using var capture = new GoldenCapture(golden);
        var segments = Cut(capture.PathOf(file));
        Assert.True(segments.Count > 5, $"{segments.Count} segments");
        var joined = Join(segments, "all");
        Assert.Equal(Events(capture.PathOf(file)), Events(joined));
        Assert.Equal(EventsByTraceEvent(capture.PathOf(file)), EventsByTraceEvent(joined));
        Assert.Equal(Stacks(capture.PathOf(file)), Stacks(joined));
    }

    [Theory]
    [MemberData(nameof(Streams))]
    public void Two_parts_have_each_event_once(string golden, string file)
    {
        using var capture = new GoldenCapture(golden);
        var segments = Cut(capture.PathOf(file));
        var (all, stacks) = (Events(capture.PathOf(file)), Stacks(capture.PathOf(file)));
        foreach (var at in new[] { 1, segments.Count / 3, segments.Count / 2, segments.Count - 1 })
        {
            var (before, after) = (Join(segments[..at], $"before{at}"), Join(segments[at..], $"after{at}"));
            Assert.Equal(all, [.. Events(before), .. Events(after)]);
            Assert.Equal(Events(after), EventsByTraceEvent(after));
            Assert.Equal(stacks.Order(), Stacks(before).Concat(Stacks(after)).Order());
            Assert.True(Newest(before) <= Oldest(after));
            Assert.InRange(segments[at].StartNs, Newest(before), Oldest(after));
        }
    }

    /// <summary>An event dropped exactly at the cut shows in the numbers of its thread's events, on both
    /// sides.</summary>
    [Fact]
    public void A_loss_at_a_cut_is_told()
    {
        using var capture = new GoldenCapture("healthy");
        var segments = Cut(capture.PathOf("runtime.nettrace"));
        var at = segments.Count / 2;
        var state = segments[at].State;
        var dropped = new SegmentState(
            state.Version, state.Header, state.StartTicks, state.Metadata, state.Stacks, [.. state.Counted.Select(count => KeyValuePair.Create(count.Key, count.Value - 1))]);
        var joined = Join([new NettraceSegment(segments[at].Path, dropped), .. segments[(at + 1)..]], "lossy");
        Assert.InRange(NettraceReader.Read(joined, StreamBounds.None, null, cancellation: TestContext.Current.CancellationToken).Lost, 1, state.Counted.Count);
    }

    [Fact]
    public async Task A_stream_that_is_silent_is_cut_after_a_while()
    {
        using var tape = new NettraceTape(Path.Combine(_folder, "0"));
        using (var capture = new GoldenCapture("healthy"))
        {
            Read(capture.PathOf("runtime.nettrace"), tape);
        }

        var cut = tape.CutAsync(Path.Combine(_folder, "1"));
        tape.CutIfQuiet(TimeSpan.FromHours(1));
        Assert.False(cut.IsCompleted);
        tape.CutIfQuiet(TimeSpan.Zero);
        Assert.True((await cut)!.Bytes > 0);
        Assert.Equal(0, tape.End()!.Bytes);
    }

    [Fact]
    public void A_file_that_cannot_be_made_is_told_and_the_next_one_is_written()
    {
        using var capture = new GoldenCapture("healthy");
        using var tape = new NettraceTape(Path.Combine(_folder, "missing", "0"));
        Read(capture.PathOf("runtime.nettrace"), tape);
        Assert.Contains("missing", tape.WriteFailure, StringComparison.Ordinal);
        Assert.Null(tape.End());
    }

    private string Join(IReadOnlyList<NettraceSegment> segments, string name)
    {
        var path = Path.Combine(_folder, name + ".nettrace");
        Assert.Equal(NettraceSegments.Join(path, segments, DateTime.UtcNow), new FileInfo(path).Length);
        return path;
    }

    /// <summary>Requests a cut before every block.</summary>
    private List<NettraceSegment> Cut(string path)
    {
        using var tape = new NettraceTape(Path.Combine(_folder, "0"));
        var cutting = new CuttingTap(tape, _folder);
        Read(path, cutting);
        return [.. cutting.Segments, tape.End()!];
    }

    private static void Read(string path, IBlockTap tap)
    {
        using var file = File.OpenRead(path);
        Assert.True(NettraceFile.Read(file, new EventKinds(), static _ => { }, tap).Whole);
    }

    private static List<string> Events(string path)
    {
        var events = new List<string>();
        var summary = NettraceReader.Read(
            path,
            StreamBounds.None,
            (in RawEvent e) => events.Add($"{e.Time} {e.Id} {e.Tid} {Convert.ToHexString(e.Payload)}"),
            cancellation: TestContext.Current.CancellationToken);
        Assert.Equal((false, null, 0L), (summary.Cut, summary.Damage, summary.Lost));
        return events;
    }

    private static List<string> EventsByTraceEvent(string path)
    {
        var events = new List<string>();
        using var source = new EventPipeEventSource(path);
        source.AllEvents += e =>
        {
#pragma warning disable CS0618 // "Not obsolete but discouraged": both read the raw tick.
            events.Add($"{e.TimeStampQPC} {(int)e.ID} {e.ThreadID} {Convert.ToHexString(e.EventData())}");
#pragma warning restore CS0618
        };
        source.Process();
        Assert.Equal(0, source.EventsLost);
        return events;
    }

    private static List<string> Stacks(string path)
    {
        var stacks = new List<string>();
        NettraceStackReader.Read(
            path,
            StreamBounds.None,
            (kind, tid, time, stack) => stacks.Add($"{time} {kind.EventId} {tid} {Convert.ToHexString(stack)}"),
            TestContext.Current.CancellationToken);
        return stacks;
    }

    private static long Newest(string path) => NettraceReader.Read(path, StreamBounds.None, null, cancellation: TestContext.Current.CancellationToken).LastNs;

    private static long Oldest(string path) => NettraceReader.Read(path, StreamBounds.None, null, cancellation: TestContext.Current.CancellationToken).FirstNs;

    private sealed class CuttingTap(NettraceTape tape, string folder) : IBlockTap
    {
        private readonly IBlockTap _tape = tape;
        private Task<NettraceSegment?>? _cut;
        private int _blocks;

        public List<NettraceSegment> Segments { get; } = [];

        public void OnHeader(int version, ReadOnlySpan<byte> bytes) => _tape.OnHeader(version, bytes);

        public void OnBlock(NettraceBlock block)
        {
            if (_blocks++ > 0 && _cut is null)
            {
                _cut = tape.CutAsync(Path.Combine(folder, _blocks.ToString(System.Globalization.CultureInfo.InvariantCulture)));
            }

            _tape.OnBlock(block);
            if (_cut is { IsCompleted: true } cut)
            {
                Segments.Add(cut.Result!);
                _cut = null;
            }
        }
    }
}
