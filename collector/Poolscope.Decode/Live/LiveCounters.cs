using System.Buffers.Binary;
using Poolscope.Decode.Counters;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Files;
using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Live;

/// <summary>Reads the runtime's counters from a live EventPipe stream.</summary>
public static class LiveCounters
{
    /// <summary>Calls the handler for each reading. Blocks until the stream ends.</summary>
    /// <remarks>Does not use TraceEvent, which on Windows queries the system (TDH) for every unknown event.</remarks>
    /// <exception cref="IOException">The connection broke.</exception>
    public static void Read(Stream stream, Action<CounterReading> handler)
    {
        var events = new CounterEvents(handler);
        var kinds = new EventKinds();
        var merge = new EventMerge(Deliver);
        using (var live = new LiveStream(stream))
        {
            // If the stream breaks off, the readings before that remain valid.
            _ = NettraceFile.Read(live, kinds, OnBlock, tap: null);
        }

        events.Flush();

        void OnBlock(NettraceBlock block)
        {
            if (block.Kind == BlockKind.Events)
            {
                merge.Add(block);
            }
            else if (block.Kind == BlockKind.SequencePoint)
            {
                merge.Reached(BinaryPrimitives.ReadInt64LittleEndian(block.Bytes));
            }
        }

        void Deliver(NettraceBlock block, ReadOnlySpan<EventEntry> entries)
        {
            foreach (ref readonly var entry in entries)
            {
                if (kinds.Find(entry.MetadataId) is { Provider: CounterEvents.Provider }
                    && RuntimeCounterEvents.Read(block.Events.Slice(entry.Offset, entry.Length)) is { } counter)
                {
                    events.Add(block.Clock.Nanoseconds(entry.Ticks), counter.Name, counter.Value, counter.Seconds);
                }
            }
        }
    }
}
