using System.Net.Sockets;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Segments;

/// <summary>Reads the stream of a live session onto a tape, on its own thread.</summary>
public sealed class NettraceTapeReader
{
    /// <param name="stream">The stream of an EventPipe session, from its first byte. The reader stops when the session
    /// ends.</param>
    public NettraceTapeReader(Stream stream, NettraceTape tape) =>
        Ended = Task.Factory.StartNew(() => Read(stream, tape), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>A task that completes when the stream ends for any reason; it never faults.</summary>
    public Task Ended { get; }

    /// <summary>Whether the runtime ended the stream properly, so that it is not cut.</summary>
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
            // The connection broke because the target ended or the session was closed.
        }
    }
}
