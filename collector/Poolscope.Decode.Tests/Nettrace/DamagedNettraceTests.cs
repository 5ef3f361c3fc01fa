using System.Buffers.Binary;
using System.Text;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

/// <summary>Single changes of a real stream that would give other waits or crashed the decoder. The decoder reports
/// each and keeps the events before it.</summary>
public sealed class DamagedNettraceTests
{
    private const string Runtime = "runtime.nettrace";
    private const int TraceObject = 53; // behind the preamble, tags, versions and the name
    private const int Frequency = TraceObject + 24;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    /// <summary>Byte 81, in the clock's frequency, turned a healthy capture into one with a wait of 1.46 s.</summary>
    [Theory]
    [InlineData(81, 1, "its clock cannot have")]
    [InlineData(TraceObject + 32, 12, "pointers cannot have 4 bytes")]
    [InlineData(TraceObject + 16 + 6, 1, "its session has an impossible start")]
    [InlineData(33, 255, "byte 32: no object begins here")]
    [InlineData(0, 255, "byte 0: it does not begin")]
    public void A_header_that_cannot_be_true_ends_the_stream(int at, byte flip, string told)
    {
        using var capture = new GoldenCapture("core-contention", Runtime);
        Assert.Equal(1_000_000_000, BinaryPrimitives.ReadInt64LittleEndian(File.ReadAllBytes(capture.PathOf(Runtime)).AsSpan(Frequency)));
        capture.Change(Runtime, Flip(at, flip));

        var result = CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation);

        Assert.Contains(told, Assert.Single(result.Streams).Damage, StringComparison.Ordinal);
        Assert.Equal(0, result.Rows["work_items"]);
        Assert.Equal(1, result.Rows["losses"]);
    }

    [Theory]
    [InlineData("ThreadPoolDequeueWork", 1, "an event whose id and name do not go together")]
    [InlineData("System.Diagnostics.Eventing.FrameworkEventSource", 2, "events of a provider that no session switches on")]
    public void An_event_that_there_is_not_ends_the_stream(string description, byte flip, string told)
    {
        using var capture = new GoldenCapture("core-contention", Runtime);
        capture.Change(Runtime, bytes => Flip(bytes.AsSpan().IndexOf(Encoding.Unicode.GetBytes(description)), flip)(bytes));

        var result = CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation);

        Assert.Contains(told, Assert.Single(result.Streams).Damage, StringComparison.Ordinal);
        Assert.Equal(1, result.Rows["losses"]);
    }

    /// <summary>Times are stored as differences, so one changed byte moves all later events of the block.</summary>
    [Fact]
    public void A_block_whose_events_are_not_as_old_as_it_says_is_not_taken()
    {
        using var capture = new GoldenCapture("core-contention", Runtime);
        var whole = CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation);
        capture.Change(Runtime, bytes =>
        {
            var header = bytes.AsSpan().LastIndexOf("EventBlock"u8) + "EventBlock".Length + 1 + sizeof(int);
            header += -header & 3;
            BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(header + 12), BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(header + 12)) + 1);
            return bytes;
        });

        var result = CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation);

        var stream = Assert.Single(result.Streams);
        Assert.Contains("events are older or newer than their block says", stream.Damage, StringComparison.Ordinal);
        Assert.InRange(stream.Events, 1, whole.Streams[0].Events - 1);
    }

    [Theory]
    [InlineData(-1, "the size of a block is negative")]
    [InlineData(4, "the header of a block does not fit")]
    public void The_size_of_a_block_is_not_believed(int size, string told)
    {
        using var capture = new GoldenCapture("core-contention", Runtime);
        capture.Change(Runtime, bytes => Sized(bytes, size));
        Assert.Contains(told, Assert.Single(CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation).Streams).Damage, StringComparison.Ordinal);
    }

    /// <summary>TraceEvent allocated the claimed size: 67 MB to 3.1 GB for a file of 7 kB.</summary>
    [Fact]
    public void A_block_that_claims_gigabytes_costs_none()
    {
        using var capture = new GoldenCapture("core-contention", Runtime);
        capture.Change(Runtime, bytes => Sized(bytes, int.MaxValue));
        var before = GC.GetAllocatedBytesForCurrentThread();

        var result = CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation);

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 16 << 20);
        Assert.True(Assert.Single(result.Streams) is { Cut: true, Events: 0 });
    }

    [Fact]
    public void Events_from_outside_of_the_window_of_the_manifest_are_not_taken()
    {
        using var capture = new GoldenCapture("core-contention", Runtime);
        var manifest = CaptureManifest.Load(capture.Folder);
        var stream = Assert.Single(manifest.Streams);
        (manifest with { Streams = [stream with { EndNs = stream.StartNs + 100_000_000 }] }).Save(capture.Folder);

        var result = CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation);

        Assert.Contains("from outside of the time that was recorded", Assert.Single(result.Streams).Damage, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("symbols.nettrace")]
    [InlineData("waits.nettrace")]
    [InlineData("sched.perf.data")]
    [InlineData("capacity.csv")]
    [InlineData("snapshots/0005.nettrace")]
    public void A_damaged_stream_leaves_the_others_alone(string file)
    {
        using var capture = new GoldenCapture("sync-over-async");
        var whole = CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation);
        capture.Change(file, bytes => [.. bytes.AsSpan(0, bytes.Length / 3), .. Enumerable.Repeat((byte)0xff, 100), .. bytes.AsSpan(bytes.Length / 3)]);

        var result = CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation);

        Assert.Equal(whole.Items.Total, result.Items.Total);
        Assert.Equal(whole.Rows.Keys.Order(), result.Rows.Keys.Order());
        Assert.Equal(whole.Rows["losses"] + 1, result.Rows["losses"]);
        Assert.Equal(whole.Rows["waits"], result.Rows["waits"]);
    }

    [Fact]
    public void A_file_that_is_cut_anywhere_gives_what_came_before()
    {
        using var capture = new GoldenCapture("core-contention", Runtime);
        var bytes = File.ReadAllBytes(capture.PathOf(Runtime));
        var events = new List<long>();
        for (var length = 1; length < bytes.Length; length += 97)
        {
            capture.Change(Runtime, _ => bytes[..length]);
            var stream = Assert.Single(CaptureDecoder.Decode(capture.Folder, cancellation: Cancellation).Streams);
            Assert.True(stream is { Cut: true, Damage: null });
            events.Add(stream.Events);
        }

        Assert.Equal(events.Order(), events);
        Assert.True(events[^1] > 0);
    }

    private static Func<byte[], byte[]> Flip(int at, byte flip) => bytes =>
    {
        bytes[at] ^= flip;
        return bytes;
    };

    private static byte[] Sized(byte[] bytes, int size)
    {
        var at = bytes.AsSpan().IndexOf("EventBlock"u8) + "EventBlock".Length + 1;
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(at), size);
        return bytes;
    }
}
