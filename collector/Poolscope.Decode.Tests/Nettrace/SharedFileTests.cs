using Microsoft.Diagnostics.Tracing;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Fuzz.Corpus;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

/// <summary>Features that only files of version 6 have: several processes, threads that end, labels, blocks of later
/// versions.</summary>
public sealed class SharedFileTests : IDisposable
{
    private static readonly byte[] Start = [0xea, 7, 3, 0, 2, 0, 3, 0, .. new byte[16], .. BitConverter.GetBytes(1_000_000_000L), 8, 0, 0, 0];

    private readonly string _path = Path.GetTempFileName();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    public void Dispose() => File.Delete(_path);

    /// <summary>Losses agree too; the last sequence point shows them.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(7)]
    public void A_file_of_one_collect_is_read_as_TraceEvent_reads_it(int lost)
    {
        var (ours, summary) = Read(OneCollectFile.Of(new OneCollectContents { BothUsePools = true, Switches = true, OffCpu = true, Lost = (uint)lost }));
        Assert.Equal((string?)null, summary.Damage);
        var (theirs, eventsLost) = ByTraceEvent();
        Assert.Equal(theirs, ours);
        Assert.Equal((lost, lost), (eventsLost, (int)summary.Lost));
        Assert.Equal(["0", "100", "200"], ours.Select(line => line.Split(' ')[1]).Distinct().Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Threads_that_end_tell_what_they_lost_and_their_index_is_free_again()
    {
        var writer = Begun();
        writer.Threads([(1, 10, 11)]);
        writer.Events([Event(1, number: 1, ticks: 5), Event(1, number: 3, ticks: 6)], compressed: true);
        writer.RemoveThreads([(1, 5)]);
        writer.Threads([(1, 20, 21)]);
        writer.Events([Event(1, number: 1, ticks: 7)], compressed: true);
        writer.End();
        var (ours, summary) = Read(writer.File);
        Assert.Equal(["5 10 11", "6 10 11", "7 20 21"], ours.Select(line => string.Join(' ', line.Split(' ')[..3])));
        Assert.Equal(3, summary.Lost); // number 2, and 4 and 5
        Assert.Equal((false, (string?)null), (summary.Cut, summary.Damage));
    }

    [Fact]
    public void An_activity_is_found_among_other_labels()
    {
        var (activity, related) = (Guid.NewGuid(), Guid.NewGuid());
        var writer = Begun();
        writer.Threads([(1, 10, 11)]);
        byte[] key = [1, (byte)'k'];
        writer.Block(8,
        [
            4, 0, 0, 0, 3, 0, 0, 0,
            5, .. key, .. key, 0x86, .. key, 0x80, 1,
            3, .. new byte[16], 4, .. new byte[8], 1, .. activity.ToByteArray(), 7, 1, 8, .. new byte[8], 9, 1, 10, 1, 0x82, .. related.ToByteArray(),
            0x81, .. related.ToByteArray(),
        ]);
        writer.Events([Event(1, 1, 5), Event(1, 2, 6, labels: 4), Event(1, 3, 7, labels: 5), Event(1, 4, 8, labels: 6)], compressed: false);
        writer.End();
        var (ours, _) = Read(writer.File);
        var none = Guid.Empty;
        Assert.Equal([$"{none} {none}", $"{none} {none}", $"{activity} {related}", $"{related} {none}"], ours.Select(line => string.Join(' ', line.Split(' ')[4..6])));
        Assert.Equal(ByTraceEvent().Events, ours);
    }

    [Fact]
    public void Blocks_and_threads_of_a_later_version_are_passed_over()
    {
        var writer = Begun();
        writer.Block(99, [1, 2, 3]);
        writer.Block(6, [8, 0, 1, 2, 10, 3, 11, 77, 1, 2]); // an unknown kind of information at the end of the row
        writer.Events([Event(1, 1, 5)], compressed: true);
        writer.End();
        var (ours, summary) = Read(writer.File);
        Assert.Equal("5 10 11", string.Join(' ', Assert.Single(ours).Split(' ')[..3]));
        Assert.False(summary.Cut);
    }

    [Theory]
    [InlineData("thread", "a thread that was not described")]
    [InlineData("kind", "an event of a kind that was not described")]
    [InlineData("older", "an event is older than those before it")]
    [InlineData("header", "it has a second header")]
    [InlineData("labels", "what a block holds reaches beyond it")]
    [InlineData("point", "a sequence point that holds more or less than it says")]
    [InlineData("behind", "there is more behind its end")]
    public void What_cannot_be_true_ends_the_reading(string what, string told)
    {
        var writer = Begun();
        writer.Threads([(1, 10, 11)]);
        writer.Events([Event(1, 1, 50)], compressed: true);
        switch (what)
        {
            case "thread":
                writer.SequencePoint(60, 1, []);
                writer.Events([Event(1, 2, 70)], compressed: true);
                break;
            case "kind":
                writer.SequencePoint(60, 2, []);
                writer.Events([Event(1, 2, 70)], compressed: true);
                break;
            case "older":
                writer.SequencePoint(60, 0, []);
                writer.Events([Event(1, 2, 40)], compressed: true);
                break;
            case "header":
                writer.Header(Start);
                break;
            case "labels":
                writer.Block(8, [1, 0, 0, 0, 1, 0, 0, 0, 0x81, 0]);
                break;
            case "point":
                writer.Block(4, [.. new byte[12], 2, 0, 0, 0, 1, 1]);
                break;
            default:
                writer.End();
                writer.Block(0, [1]);
                break;
        }

        var (ours, summary) = Read(writer.File);
        Assert.Contains(told, summary.Damage, StringComparison.Ordinal);
        Assert.InRange(ours.Count, 0, 1);
        Assert.True(summary.Cut);
    }

    [Fact]
    public void A_file_that_ends_early_gives_what_came_before_its_last_sequence_point()
    {
        var file = OneCollectFile.Of(new OneCollectContents { Items = 60 });
        var (whole, _) = Read(file);
        var (ours, summary) = Read(file[..(file.Length / 2)]);
        Assert.Equal((true, (string?)null), (summary.Cut, summary.Damage));
        Assert.InRange(ours.Count, 1, whole.Count - 1);
        Assert.Equal(whole[..ours.Count], ours);
    }

    private static NettraceV6Writer Begun()
    {
        var writer = new NettraceV6Writer();
        writer.Header(Start);
        writer.Metadata(NettraceV6Writer.Description(3, "Mine", 4, "Event", 2, ("a", 10), ("b", 18)));
        return writer;
    }

    private static EventV6 Event(ulong thread, uint number, long ticks, uint labels = 0) => new(3, thread, thread, number, 0, 0, ticks, labels, true, [1, 2, 3, 4, 0, 0]);

    private (List<string> Events, NettraceSummary Summary) Read(byte[] file)
    {
        File.WriteAllBytes(_path, file);
        var events = new List<string>();
        var summary = NettraceReader.Read(
            _path,
            StreamBounds.None with { AnyProvider = true },
            (in RawEvent e) => events.Add($"{e.Time} {e.ProcessId} {e.Tid} {e.Id} {e.Activity} {e.Related} {Convert.ToHexString(e.Payload)}"),
            cancellation: Cancellation);
        return (events, summary);
    }

    private (List<string> Events, int Lost) ByTraceEvent()
    {
        var events = new List<string>();
        using var source = new EventPipeEventSource(_path);
        source.AllEvents += e =>
        {
#pragma warning disable CS0618 // "Not obsolete but discouraged": both read the raw tick.
            events.Add($"{e.TimeStampQPC} {e.ProcessID} {e.ThreadID} {(int)e.ID} {e.ActivityID} {e.RelatedActivityID} {Convert.ToHexString(e.EventData())}");
#pragma warning restore CS0618
        };
        source.Process();
        return (events, source.EventsLost);
    }
}
