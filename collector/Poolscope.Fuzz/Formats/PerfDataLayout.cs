using System.Buffers.Binary;
using System.Numerics;

namespace Poolscope.Fuzz.Formats;

/// <summary>The structure of a perf.data file: a header of 104 bytes, attributes, records, and a table of
/// features.</summary>
internal static class PerfDataLayout
{
    private const int HeaderBytes = 104;
    private const int DataOffset = 40;
    private const int DataSize = 48;
    private const int Features = 72;
    private const int TracingData = 1;
    private const int EntryBytes = 16;

    /// <summary>Returns records as pieces, and as fields the numbers of the header, of the attributes and of every
    /// record.</summary>
    public static Layout Of(byte[] file)
    {
        var (start, end) = Data(file);
        var pieces = new List<Piece>();
        var fields = Enumerable.Range(1, (start / 8) - 1).Select(i => new Piece(8 * i, 8)).ToList();
        for (var at = start; at + 8 <= end;)
        {
            var size = BinaryPrimitives.ReadUInt16LittleEndian(file.AsSpan(at + 6));
            if (size < 8 || size > end - at)
            {
                break;
            }

            pieces.Add(new Piece(at, size));
            fields.AddRange([new Piece(at, 4), new Piece(at + 4, 2), new Piece(at + 6, 2)]);
            fields.AddRange(Enumerable.Range(1, (size / 8) - 1).Select(i => new Piece(at + (8 * i), 8)));
            at += size;
        }

        for (var at = end; at + EntryBytes <= Math.Min(file.Length, end + EntryBytes); at += 8)
        {
            fields.Add(new Piece(at, 8));
        }

        return new Layout(pieces, fields);
    }

    /// <summary>Returns the file with its first records up to a size, and the descriptions of tracepoints as its only
    /// feature.</summary>
    public static byte[] Cut(byte[] file, int most)
    {
        var (start, end) = Data(file);
        var records = Of(file).Pieces.Select(piece => piece.End).Where(at => at <= start + most).DefaultIfEmpty(start).Max();
        var features = BinaryPrimitives.ReadUInt64LittleEndian(file.AsSpan(Features));
        var before = BitOperations.PopCount(features & ((1UL << TracingData) - 1));
        var entry = file.AsSpan(end + (EntryBytes * before), EntryBytes);
        var blob = file.AsSpan((int)BinaryPrimitives.ReadInt64LittleEndian(entry), (int)BinaryPrimitives.ReadInt64LittleEndian(entry[8..]));

        byte[] cut = [.. file.AsSpan(0, records), .. new byte[EntryBytes], .. blob];
        BinaryPrimitives.WriteInt64LittleEndian(cut.AsSpan(DataSize), records - start);
        BinaryPrimitives.WriteUInt64LittleEndian(cut.AsSpan(Features), 1UL << TracingData);
        BinaryPrimitives.WriteInt64LittleEndian(cut.AsSpan(records), records + EntryBytes);
        BinaryPrimitives.WriteInt64LittleEndian(cut.AsSpan(records + 8), blob.Length);
        return cut;
    }

    /// <summary>Returns the file as a killed recorder leaves it.</summary>
    public static byte[] Unfinished(byte[] file)
    {
        var (_, end) = Data(file);
        var cut = file[..end];
        cut.AsSpan(DataSize, 8).Clear();
        cut.AsSpan(Features, 8).Clear();
        return cut;
    }

    private static (int Start, int End) Data(byte[] file)
    {
        // The file may be damaged: the range is inside the file, whatever the header says.
        var start = Math.Clamp(BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(DataOffset)), HeaderBytes, file.Length);
        var size = BinaryPrimitives.ReadInt64LittleEndian(file.AsSpan(DataSize));
        return ((int)start, size > 0 && size < file.Length - start ? (int)(start + size) : file.Length);
    }
}
