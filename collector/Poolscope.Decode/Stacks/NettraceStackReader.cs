using System.Buffers.Binary;
using System.Text;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Stacks;

/// <summary>An event with its stack: code addresses, leaf first. The span is valid during the callback only.</summary>
/// <param name="time">CLOCK_MONOTONIC ns.</param>
internal delegate void StackHandler(string provider, int eventId, int tid, long time, ReadOnlySpan<byte> stack);

/// <summary>Reads which stack each event of a .nettrace file has. TraceEvent gives stacks only through TraceLog, which
/// converts the whole file to another on disk, a quarter of a second for each of the many small files of snapshots.</summary>
/// <remarks>Versions 4 and 5 of the format, which every runtime up to .NET 10 writes: tagged objects, of which the blocks
/// of metadata, stacks and events matter. Stack ids start anew at sequence points; a stack's block precedes its events.</remarks>
internal sealed class NettraceStackReader
{
    private const byte NullReference = 1;
    private const byte BeginObject = 5;
    private const int TraceObjectBytes = 48;
    private const int FrequencyOffset = 24;
    private const int LargestBlock = 1 << 26;

    private static readonly byte[] Preamble = [.. "Nettrace"u8, 20, 0, 0, 0, .. "!FastSerialization.1"u8];

    private readonly StackHandler _handler;
    private readonly Dictionary<int, (string Provider, int EventId)> _metadata = [];
    private readonly Dictionary<int, byte[]> _stacks = [];
    private TickClock _clock = new(1_000_000_000);

    private NettraceStackReader(StackHandler handler) => _handler = handler;

    /// <summary>Delivers every event that has a stack, in the order of the file, which is that of time per thread only.</summary>
    /// <returns>False: the file is of another version of the format, and nothing was read. A file that is cut gives what it has.</returns>
    public static bool Read(string path, StackHandler handler, CancellationToken cancellation = default)
    {
        using var file = File.OpenRead(path);
        using var reader = new BinaryReader(file);
        try
        {
            if (!reader.ReadBytes(Preamble.Length).AsSpan().SequenceEqual(Preamble))
            {
                return false;
            }

            return new NettraceStackReader(handler).ReadObjects(reader, cancellation);
        }
        catch (Exception e) when (e is EndOfStreamException or ArgumentOutOfRangeException or IndexOutOfRangeException)
        {
            return true;
        }
    }

    private bool ReadObjects(BinaryReader reader, CancellationToken cancellation)
    {
        while (reader.ReadByte() == BeginObject)
        {
            cancellation.ThrowIfCancellationRequested();
            Expect(reader, BeginObject);
            Expect(reader, NullReference);
            var version = reader.ReadInt32();
            reader.ReadInt32();
            var type = Encoding.ASCII.GetString(reader.ReadBytes(Math.Clamp(reader.ReadInt32(), 0, 64)));
            reader.ReadByte();
            if (type == "Trace")
            {
                if (version is not (4 or 5))
                {
                    return false;
                }

                var frequency = BinaryPrimitives.ReadInt64LittleEndian(Exactly(reader, TraceObjectBytes).AsSpan(FrequencyOffset));
                _clock = new TickClock(frequency);
            }
            else
            {
                var size = reader.ReadInt32();
                var padding = (int)(-reader.BaseStream.Position & 3);
                Exactly(reader, padding);
                ReadBlock(type, Exactly(reader, size is >= 0 and <= LargestBlock ? size : throw new EndOfStreamException()));
            }

            reader.ReadByte();
        }

        return true;
    }

    private void ReadBlock(string type, byte[] block)
    {
        switch (type)
        {
            case "MetadataBlock":
                ReadEvents(block, metadata: true);
                break;
            case "EventBlock":
                ReadEvents(block, metadata: false);
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

    private void ReadEvents(ReadOnlySpan<byte> block, bool metadata)
    {
        const int compressed = 1;
        var headerSize = BinaryPrimitives.ReadUInt16LittleEndian(block);
        if ((BinaryPrimitives.ReadUInt16LittleEndian(block[2..]) & compressed) == 0)
        {
            return; // no runtime since .NET Core 3.0 writes these
        }

        var cursor = new EventCursor(block[headerSize..]);
        while (cursor.Next())
        {
            if (metadata)
            {
                AddMetadata(cursor.Payload);
            }
            else if (_stacks.TryGetValue(cursor.StackId, out var stack) && stack.Length > 0
                && _metadata.TryGetValue(cursor.MetadataId, out var known))
            {
                _handler(known.Provider, known.EventId, (int)cursor.ThreadId, _clock.Nanoseconds(cursor.Ticks), stack);
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

    private static byte[] Exactly(BinaryReader reader, int count)
    {
        var bytes = reader.ReadBytes(count);
        return bytes.Length == count ? bytes : throw new EndOfStreamException();
    }

    private static void Expect(BinaryReader reader, byte tag)
    {
        if (reader.ReadByte() != tag)
        {
            throw new EndOfStreamException();
        }
    }
}
