using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Decode.Nettrace;

/// <summary>A block of a .nettrace file: metadata, stacks, events or a sequence point.</summary>
/// <param name="type">Such as EventBlock.</param>
internal delegate void BlockHandler(string type, ReadOnlySpan<byte> block, TickClock clock);

/// <summary>Walks the blocks of a .nettrace file, for what TraceEvent does not give.</summary>
/// <remarks>Versions 4 and 5 of the format, which every runtime up to .NET 10 writes: tagged objects.</remarks>
internal static class NettraceBlocks
{
    private const byte NullReference = 1;
    private const byte BeginObject = 5;
    private const int TraceObjectBytes = 48;
    private const int FrequencyOffset = 24;
    private const int LargestBlock = 1 << 26;
    private const int CompressedHeaders = 1;

    private static readonly byte[] Preamble = [.. "Nettrace"u8, 20, 0, 0, 0, .. "!FastSerialization.1"u8];

    /// <summary>Delivers every block, in the order of the file.</summary>
    /// <returns>False: the file is of another version of the format, and nothing was read. A file that is cut gives what it has.</returns>
    public static bool Read(string path, BlockHandler handler, CancellationToken cancellation = default)
    {
        using var file = File.OpenRead(path);
        using var reader = new BinaryReader(file);
        try
        {
            return reader.ReadBytes(Preamble.Length).AsSpan().SequenceEqual(Preamble) && ReadObjects(reader, handler, cancellation);
        }
        catch (Exception e) when (e is EndOfStreamException or ArgumentOutOfRangeException or IndexOutOfRangeException)
        {
            return true;
        }
    }

    /// <summary>The events of an EventBlock or MetadataBlock; none where their headers are not compressed, which no runtime
    /// since .NET Core 3.0 writes.</summary>
    public static EventCursor Events(ReadOnlySpan<byte> block)
    {
        var headerSize = BinaryPrimitives.ReadUInt16LittleEndian(block);
        var compressed = (BinaryPrimitives.ReadUInt16LittleEndian(block[2..]) & CompressedHeaders) != 0;
        return new EventCursor(compressed ? block[headerSize..] : []);
    }

    private static bool ReadObjects(BinaryReader reader, BlockHandler handler, CancellationToken cancellation)
    {
        var clock = new TickClock(1_000_000_000);
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

                clock = new TickClock(BinaryPrimitives.ReadInt64LittleEndian(Exactly(reader, TraceObjectBytes).AsSpan(FrequencyOffset)));
            }
            else
            {
                var size = reader.ReadInt32();
                var padding = (int)(-reader.BaseStream.Position & 3);
                Exactly(reader, padding);
                handler(type, Exactly(reader, size is >= 0 and <= LargestBlock ? size : throw new EndOfStreamException()), clock);
            }

            reader.ReadByte();
        }

        return true;
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
