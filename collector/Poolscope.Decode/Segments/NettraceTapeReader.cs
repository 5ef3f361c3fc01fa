using System.Net.Sockets;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Segments;

/// <summary>Reads the stream of a live session onto a tape, on a thread of its own.</summary>
public sealed class NettraceTapeReader
{
    /// <param name="stream">Of an EventPipe session, from its first byte on. Who ends the session ends the reading.</param>
    public NettraceTapeReader(Stream stream, NettraceTape tape) =>
        Ended = Task.Factory.StartNew(() => Read(stream, tape), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>Completes when the stream ends for whatever reason; never faults.</summary>
    public Task Ended { get; }

    /// <summary>The runtime ended the stream itself: it was not cut.</summary>
    public bool HasEndMark { get; private set; }

    private void Read(Stream stream, NettraceTape tape)
    {
        try
        {
            using var live = new LiveStream(stream);
            HasEndMark = NettraceFile.Read(live, new EventKinds(), static _ => { }, tape).Whole;
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The connection broke: the target is gone, or the session was closed.
        }
    }
}
