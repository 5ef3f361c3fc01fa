using Microsoft.Diagnostics.Tracing;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Runtime;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

/// <summary>The events that Microsoft's own reader finds in a stream give the same tables, byte by byte.</summary>
public sealed class TablesAgreeWithTraceEventTests
{
    [Theory]
    [InlineData("blocked-at-cap")]
    [InlineData("core-contention")]
    [InlineData("healthy")]
    [InlineData("injection-delay")]
    [InlineData("sync-over-async")]
    public void Table_by_table(string golden)
    {
        using var capture = new GoldenCapture(golden);
        var path = capture.PathOf("runtime.nettrace");
        var ours = Arrays(decoder => NettraceReader.Read(path, StreamBounds.None, decoder.Decode, cancellation: TestContext.Current.CancellationToken));
        var theirs = Arrays(decoder => Process(path, decoder));

        Assert.Equal(theirs.Keys, ours.Keys);
        Assert.All(theirs, array => Assert.True(array.Value.AsSpan().SequenceEqual(ours[array.Key]), array.Key));
        Assert.NotEmpty(ours["work_items.enqueue"]);
    }

    private static Dictionary<string, byte[]> Arrays(Action<EventDecoder> read)
    {
        var tables = new RuntimeTables();
        read(new EventDecoder(tables));
        return tables.Tables()
            .SelectMany(table => table.ToArrays().Select(array => (Name: $"{table.Schema.Name}.{array.Name}", array.Bytes)))
            .ToDictionary(array => array.Name, array => array.Bytes.ToArray());
    }

    private static void Process(string path, EventDecoder decoder)
    {
        using var source = new EventPipeEventSource(path);
        source.AllEvents += e =>
        {
#pragma warning disable CS0618 // "Not obsolete but discouraged": both read the raw tick.
            decoder.Decode(new RawEvent(
                e.ProviderGuid, (int)e.ID, e.TimeStampQPC, e.ThreadID, e.PointerSize, e.EventData(), threads: null, e.ActivityID, e.RelatedActivityID));
#pragma warning restore CS0618
        };
        source.Process();
    }
}
