using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.EventPipe;
using Microsoft.Diagnostics.Tracing.Parsers;
using Microsoft.Diagnostics.Tracing.Session;
using Poolscope.Decode.Census;
using Poolscope.Decode.Events;
using Poolscope.Decode.Import;
using Poolscope.Decode.Manifest;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Tests.Captures;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>The counts of a trace's events equal those of Microsoft's own reader.</summary>
public sealed class CountedEventsTests
{
    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public void Of_another_tool_s_trace_every_event_is_counted_by_provider_and_id()
    {
        using var files = new ForeignFiles();
        var folder = files.NewCapture();
        NettraceImport.Write(NettraceImport.Open(files.Trace, null, null, Cancellation), folder, new ToolInfo("test", "1"), Cancellation);
        var tables = CaptureDecoder.Read(folder, null, Cancellation).Tables.ToDictionary(table => table.Schema.Name);
        var counts = tables["event_counts"];
        Assert.Equal(TheirCounts(files.Trace), OurCounts(counts));
        Assert.Equal(tables["streams"].Int64("events")[0], Enumerable.Range(0, counts.Count).Sum(row => counts.Int64("count")[row]));

        var rows = Enumerable.Range(0, counts.Count).ToDictionary(row => (counts.String("provider")[row], counts.String("name")[row]), row => (counts.Int64("count")[row], (int)counts.Enum("used")[row]));
        Assert.Equal((46, 1), rows[("System.Diagnostics.Eventing.FrameworkEventSource", "ThreadPoolEnqueueWork")]);
        Assert.Equal((10, 1), rows[("System.Diagnostics.Eventing.FrameworkEventSource", "ThreadPoolDequeueWork")]);
    }

    [Theory]
    [InlineData("healthy")]
    [InlineData("sync-over-async")]
    public void So_it_is_of_streams_that_the_collector_recorded(string golden)
    {
        using var capture = new GoldenCapture(golden);
        foreach (var file in new[] { "runtime.nettrace", "waits.nettrace" })
        {
            var counts = new EventCounts();
            NettraceReader.Read(capture.PathOf(file), StreamBounds.None, static (in RawEvent _) => { }, items: null, counts, progress: null, Cancellation);
            Assert.Equal(TheirCounts(capture.PathOf(file)), OurCounts(CountedEvents.ToTable(counts)));
        }
    }

    [Fact]
    public void A_capture_of_the_collector_has_no_such_table()
    {
        using var capture = new GoldenCapture("healthy");
        Assert.DoesNotContain("event_counts", CaptureDecoder.Read(capture.Folder, null, Cancellation).Tables.Select(table => table.Schema.Name));
    }

    private static SortedDictionary<string, long> OurCounts(Table counts)
    {
        var all = new SortedDictionary<string, long>(StringComparer.Ordinal);
        for (var row = 0; row < counts.Count; row++)
        {
            var key = $"{Id(counts.String("provider")[row]!)} {counts.Int32("event_id")[row]}";
            all[key] = all.GetValueOrDefault(key) + counts.Int64("count")[row];
        }

        return all;
    }

    private static SortedDictionary<string, long> TheirCounts(string path)
    {
        var all = new SortedDictionary<string, long>(StringComparer.Ordinal);
        using var source = new EventPipeEventSource(path);
        source.AllEvents += e =>
        {
            var key = $"{e.ProviderGuid} {(int)e.ID}";
            all[key] = all.GetValueOrDefault(key) + 1;
        };
        source.Process();
        return all;
    }

    /// <summary>Returns a provider's id in Microsoft's reader: the manifest's id if it has a parser for the provider,
    /// else a hash of the name.</summary>
    private static Guid Id(string provider) => provider switch
    {
        "Microsoft-Windows-DotNETRuntime" => ClrTraceEventParser.ProviderGuid,
        "Microsoft-Windows-DotNETRuntimeRundown" => Guid.Parse(ThreadEvents.RundownManifest),
        "Microsoft-DotNETCore-SampleProfiler" => SampleProfilerTraceEventParser.ProviderGuid,
        "System.Threading.Tasks.TplEventSource" => TplEtwProviderTraceEventParser.ProviderGuid,
        _ => TraceEventProviders.GetEventSourceGuidFromName(provider),
    };
}
