using System.Buffers.Binary;
using Poolscope.Etl.Format;

namespace Poolscope.Fuzz.Formats;

/// <summary>The structure of an .etl file: a chain of buffers, and in uncompressed buffers a chain of events.</summary>
internal static class EtlLayout
{
    private const int Word = 4;
    private const int SizeInFront = 0;
    private const int SizeBehind = 4;

    // Sizes, processor, used bytes, flags.
    private static readonly int[] BufferFields = [0x00, 0x28, 0x30, 0x34];

    public static Layout Of(byte[] file)
    {
        var (pieces, fields) = (new List<Piece>(), new List<Piece>());
        for (var at = 0; file.Length - at >= BufferHeader.Bytes;)
        {
            var header = BufferHeader.Read(file.AsSpan(at));
            if (header.StoredBytes < BufferHeader.Bytes || header.StoredBytes > file.Length - at)
            {
                break;
            }

            pieces.Add(new Piece(at, (int)header.StoredBytes));
            fields.AddRange(BufferFields.Select(field => new Piece(at + field, Word)));
            if (header.IsCompressed)
            {
                fields.AddRange(Enumerable.Range(0, ((int)header.StoredBytes - BufferHeader.Bytes) / Word).Select(i => new Piece(at + BufferHeader.Bytes + (Word * i), Word)));
            }
            else
            {
                Events(file, at, Math.Min(header.UsedBytes, header.StoredBytes), pieces, fields);
            }

            at += (int)header.StoredBytes;
        }

        return new Layout(pieces, fields);
    }

    private static void Events(byte[] file, int buffer, long used, List<Piece> pieces, List<Piece> fields)
    {
        for (var at = BufferHeader.Bytes; used - at >= 8;)
        {
            // The kernel's own headers have the size in the second word, all others in the first.
            var bytes = file.AsSpan(buffer + at);
            var size = BinaryPrimitives.ReadUInt16LittleEndian(bytes[(bytes[2] is (>= 1 and <= 4) or 16 or 17 ? SizeBehind : SizeInFront)..]);
            if (size < 8 || size > used - at)
            {
                return;
            }

            pieces.Add(new Piece(buffer + at, (size + 7) & ~7));
            var start = buffer + at;
            fields.AddRange(Enumerable.Range(0, size / Word).Select(i => new Piece(start + (Word * i), Word)));
            at += (size + 7) & ~7;
        }
    }
}
