using System.Buffers.Binary;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Stacks;

/// <summary>An event with its stack: code addresses, leaf first. The span is valid during the callback only.</summary>
/// <param name="time">CLOCK_MONOTONIC ns.</param>
internal delegate void StackHandler(string provider, int eventId, int tid, long time, ReadOnlySpan<byte> stack);

/// <summary>Reads which stack each event of a .nettrace file has. TraceEvent gives stacks only through TraceLog, which
/// converts the whole file to another on disk, a quarter of a second for each of the many small files of snapshots.</summary>
/// <remarks>Stack ids start anew at sequence points; a stack's block precedes its events.</remarks>
internal sealed class NettraceStackReader
{
    private readonly StackHandler _handler;
    private readonly Dictionary<int, (string Provider, int EventId)> _metadata = [];
    private readonly Dictionary<int, byte[]> _stacks = [];

    private NettraceStackReader(StackHandler handler) => _handler = handler;

    /// <summary>Delivers every event that has a stack, in the order of the file, which is that of time per thread only.</summary>
    /// <returns>False: the file is of another version of the format, and nothing was read. A file that is cut gives what it has.</returns>
    public static bool Read(string path, StackHandler handler, CancellationToken cancellation = default) =>
        NettraceBlocks.Read(path, new NettraceStackReader(handler).ReadBlock, cancellation);

    private void ReadBlock(string type, ReadOnlySpan<byte> block, TickClock clock)
    {
        switch (type)
        {
            case "MetadataBlock":
                ReadEvents(block, clock, metadata: true);
                break;
            case "EventBlock":
                ReadEvents(block, clock, metadata: false);
                break;
            case "StackBlock":
                ReadStacks(block);
                break;
            case "SPBlock":
                _stacks.Clear();
                break;
        }
    }

    private void ReadStacks(ReadOnlySpan<byte> block)
    {
        var id = BinaryPrimitives.ReadInt32LittleEndian(block);
        var count = BinaryPrimitives.ReadInt32LittleEndian(block[4..]);
        block = block[8..];
        for (var i = 0; i < count; i++)
        {
            var size = BinaryPrimitives.ReadInt32LittleEndian(block);
            _stacks[id++] = block.Slice(4, size).ToArray();
            block = block[(4 + size)..];
        }
    }

    private void ReadEvents(ReadOnlySpan<byte> block, TickClock clock, bool metadata)
    {
        var cursor = NettraceBlocks.Events(block);
        while (cursor.Next())
        {
            if (metadata)
            {
                AddMetadata(cursor.Payload);
            }
            else if (_stacks.TryGetValue(cursor.StackId, out var stack) && stack.Length > 0
                && _metadata.TryGetValue(cursor.MetadataId, out var known))
            {
                _handler(known.Provider, known.EventId, (int)cursor.ThreadId, clock.Nanoseconds(cursor.Ticks), stack);
            }
        }
    }

    /// <summary>Metadata id, provider's name as zero-terminated UTF-16, event id; names and fields follow.</summary>
    private void AddMetadata(ReadOnlySpan<byte> payload)
    {
        var id = BinaryPrimitives.ReadInt32LittleEndian(payload);
        var provider = Utf16.Read(payload, 4, out var next);
        _metadata[id] = (provider, BinaryPrimitives.ReadInt32LittleEndian(payload[next..]));
    }
}
