using Microsoft.Diagnostics.Tracing;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Tests.Captures;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

/// <summary>Real streams give the same events in the same order as Microsoft's own reader.</summary>
public sealed class AgreesWithTraceEventTests
{
    [Theory]
    [InlineData("healthy", "runtime.nettrace")]
    [InlineData("healthy", "waits.nettrace")]
    [InlineData("injection-delay", "symbols.nettrace")]
    [InlineData("sync-over-async", "runtime.nettrace")]
    [InlineData("sync-over-async", "waits.nettrace")]
    [InlineData("sync-over-async", "snapshots/0005.nettrace")]
    [InlineData("core-contention", "runtime.nettrace")]
    public void Event_by_event(string golden, string file)
    {
        using var capture = new GoldenCapture(golden);
        var (ours, theirs) = (new List<string>(), new List<string>());
        var summary = NettraceReader.Read(
            capture.PathOf(file),
            StreamBounds.None,
            (in RawEvent e) => ours.Add($"{e.Time} {e.Id} {e.Tid} {Convert.ToHexString(e.Payload)}"),
            cancellation: TestContext.Current.CancellationToken);

        using var source = new EventPipeEventSource(capture.PathOf(file));
        source.AllEvents += e =>
        {
#pragma warning disable CS0618 // "Not obsolete but discouraged": both read the raw tick.
            theirs.Add($"{e.TimeStampQPC} {(int)e.ID} {e.ThreadID} {Convert.ToHexString(e.EventData())}");
#pragma warning restore CS0618
        };
        source.Process();

        Assert.Equal(theirs, ours);
        Assert.Equal((ours.Count, false, (string?)null, (long)source.EventsLost), ((int)summary.Events, summary.Cut, summary.Damage, summary.Lost));
    }
}
