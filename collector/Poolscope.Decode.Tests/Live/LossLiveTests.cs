using Microsoft.Diagnostics.Tracing;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Values;
using Xunit;

namespace Poolscope.Decode.Tests.Live;

/// <summary>A flood of items through a buffer that cannot hold it.</summary>
[Collection(nameof(LiveTests))]
[Trait("live", "yes")]
public sealed class LossLiveTests
{
    private const int Flood = 1_000_000;

    [Fact]
    public void Every_lost_event_is_in_a_gap_with_a_beginning_and_an_end()
    {
        using var capture = new OwnCapture(Storm, bufferMb: 1);
        var summary = NettraceReader.Read(capture.RuntimeFile, StreamBounds.None, handler: null, cancellation: TestContext.Current.CancellationToken);
        var losses = summary.Losses;

        // TraceEvent's own sum, from the same sequence numbers.
        using var source = new EventPipeEventSource(capture.RuntimeFile);
        source.Process();
        Assert.NotEqual(0, summary.Lost);
        Assert.Equal(source.EventsLost, summary.Lost);

        Assert.All(losses, loss => Assert.True(loss.Start < loss.End && loss.Count > 0, loss.ToString()));
        Assert.Equal(losses.OrderBy(loss => loss.Start), losses);
        Assert.All(losses.Zip(losses.Skip(1)), pair => Assert.True(pair.First.End < pair.Second.Start));
        Assert.All(losses, loss => Assert.True(loss.End <= summary.LastNs + 1_000_000_000));

        var decoded = CaptureDecoder.Decode(capture.Folder, cancellation: TestContext.Current.CancellationToken);
        Assert.Equal(losses.Count, decoded.Rows["losses"]);
        Assert.Equal(losses.Sum(loss => loss.Count), Assert.Single(decoded.Streams).Lost);
    }

    [Fact]
    public void A_stream_that_lost_nothing_has_no_gap()
    {
        using var capture = new OwnCapture(() => Thread.Sleep(50));
        Assert.Empty(NettraceReader.Read(capture.RuntimeFile, StreamBounds.None, handler: null, cancellation: TestContext.Current.CancellationToken).Losses);
    }

    private static void Storm()
    {
        using var left = new CountdownEvent(Flood);
        for (var i = 0; i < Flood; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static done => done.Signal(), left, preferLocal: false);
        }

        left.Wait();
    }
}
