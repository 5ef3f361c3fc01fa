using System.Buffers.Binary;
using System.Net.Sockets;
using Poolscope.Decode.Counters;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;
using Poolscope.Decode.Segments;

namespace Poolscope.Decode.Live;

/// <summary>Follows the event stream of a live process on its own thread, and reports the state of the pool.</summary>
public sealed class PoolFollower
{
    private const string Framework = "System.Diagnostics.Eventing.FrameworkEventSource";
    private const string Runtime = "Microsoft-Windows-DotNETRuntime";
    private const string Hosting = "Microsoft.AspNetCore.Hosting";
    private const string QueueCounter = "threadpool-queue-length";
    private const string ThreadsCounter = "threadpool-thread-count";

    /// <summary>Counters that report an increment; the others report a value.</summary>
    private static readonly HashSet<string> Growing = ["threadpool-completed-items-count", "time-in-jit"];

    private readonly PoolWatch _watch;
    private readonly RequestWatch _requests = new();
    private readonly EventKinds _kinds = new();
    private readonly EventMerge _merge;
    private readonly EventLosses _losses = new();
    private readonly NettraceTape? _tape;
    private readonly CounterEvents _counters;
    private long _lost;

    /// <param name="stream">The stream of an EventPipe session from its first byte. Reading ends with the
    /// session.</param>
    /// <param name="startNs">When the session was opened; CLOCK_MONOTONIC ns.</param>
    /// <param name="tape">Receives all blocks of the stream too; null for none.</param>
    /// <param name="counters">Receives each reading of the runtime's counters on the reading thread; null for
    /// none.</param>
    public PoolFollower(Stream stream, long startNs, NettraceTape? tape = null, Action<CounterReading>? counters = null)
    {
        _tape = tape;
        _counters = new CounterEvents(counters ?? (static _ => { }));
        _watch = new PoolWatch(startNs);
        _merge = new EventMerge(Deliver);
        Ended = Task.Factory.StartNew(() => Read(stream), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>Completes when the stream ends for any reason; never faults.</summary>
    public Task Ended { get; }

    /// <summary>Whether the runtime ended the stream itself, so that the stream was not cut.</summary>
    public bool HasEndMark { get; private set; }

    /// <summary>The contradiction that ended the reading; null if there is none.</summary>
    public string? Damage { get; private set; }

    /// <param name="nowNs">CLOCK_MONOTONIC ns; not before the previous sample.</param>
    public PoolSample Sample(long nowNs) => _watch.Sample(nowNs) with { RequestNs = _requests.Sample(nowNs) };

    private void Read(Stream stream)
    {
        try
        {
            using var live = new LiveStream(stream);
            var end = NettraceFile.Read(live, _kinds, OnBlock, _tape);
            (Damage, HasEndMark) = (end.Damage, end.Whole);
        }
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // The connection broke: the target is gone, or the session was closed.
        }
    }

    private void OnBlock(NettraceBlock block)
    {
        if (block.Kind == BlockKind.Events)
        {
            _losses.AddEvents(block);
            Losses();
            _merge.Add(block);
        }
        else if (block.Kind == BlockKind.SequencePoint)
        {
            _losses.AddPoint(block);
            Losses();
            _merge.Reached(BinaryPrimitives.ReadInt64LittleEndian(block.Bytes));
        }
    }

    private void Losses()
    {
        if (_losses.Count > _lost)
        {
            _watch.Lost(_losses.Count - _lost);
            _requests.Lost();
            _lost = _losses.Count;
        }
    }

    private void Deliver(NettraceBlock block, ReadOnlySpan<EventEntry> entries)
    {
        var events = block.Events;
        foreach (ref readonly var entry in entries)
        {
            var kind = _kinds.Find(entry.MetadataId)!;
            Deliver(kind, block.Clock.Nanoseconds(entry.Ticks), events.Slice(entry.Offset, entry.Length), block.ActivitiesOf(entry).Activity);
        }
    }

    private void Deliver(EventKind kind, long time, ReadOnlySpan<byte> payload, Guid activity)
    {
        switch (kind.Provider, kind.EventId)
        {
            case (Framework, 30) when payload.Length >= sizeof(long):
                _watch.Enqueue(time, BinaryPrimitives.ReadInt64LittleEndian(payload));
                break;
            case (Framework, 31) when payload.Length >= sizeof(long):
                _watch.Dequeue(time, BinaryPrimitives.ReadInt64LittleEndian(payload));
                break;
            case (Runtime, 55) when payload.Length >= 16:
                // Throughput (f64), goal and reason (i32 each).
                _watch.Goal(time, BinaryPrimitives.ReadInt32LittleEndian(payload[8..]), BinaryPrimitives.ReadInt32LittleEndian(payload[12..]));
                break;
            case (Hosting, 3) when activity != default:
                _requests.Start(time, activity);
                break;
            case (Hosting, 4):
                _requests.Stop(time, activity);
                break;
            case (CounterEvents.Provider, _):
                Counter(time, payload);
                break;
        }
    }

    /// <summary>Reads a counter. A counter with a value holds its name and display name (text each), mean and deviation
    /// (f64 each), number of values (i32), minimum and maximum (f64 each) and seconds (f32). An incrementing counter
    /// holds its name, display name and scale (text each), increment (f64) and seconds (f32). More fields
    /// follow.</summary>
    private void Counter(long time, ReadOnlySpan<byte> payload)
    {
        const int toSeconds = (4 * sizeof(double)) + sizeof(int);
        if (!Utf16.TryRead(payload, 0, out var name, out var next) || !Utf16.TryRead(payload, next, out _, out next))
        {
            return;
        }

        var grows = Growing.Contains(name);
        var toSpan = grows ? sizeof(double) : toSeconds;
        if ((grows && !Utf16.TryRead(payload, next, out _, out next)) || payload.Length - next < toSpan + sizeof(float)
            || BinaryPrimitives.ReadDoubleLittleEndian(payload[next..]) is not (>= 0 and < long.MaxValue and var value))
        {
            return;
        }

        _counters.Add(time, name, value, BinaryPrimitives.ReadSingleLittleEndian(payload[(next + toSpan)..]));
        if (name == QueueCounter)
        {
            _watch.Queue(time, (long)value);
        }
        else if (name == ThreadsCounter)
        {
            _watch.Threads(time, (int)Math.Min(value, int.MaxValue));
        }
    }
}
