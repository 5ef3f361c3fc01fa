using System.Buffers.Binary;

namespace Poolscope.Fuzz.Formats;

/// <summary>The structure of a .nettrace file of version 4: a header and blocks, as tagged objects.</summary>
internal static class NettraceLayout
{
    private const int PreambleBytes = 32;
    private const int TagsBefore = 3;
    private const int TraceBytes = 48;
    private const byte BeginObject = 5;

    /// <summary>Returns whole objects as pieces, and as fields all numbers of the header and the first ones of every
    /// block.</summary>
    public static Layout Of(byte[] file)
    {
        var (pieces, fields) = (new List<Piece>(), new List<Piece>());
        for (var at = PreambleBytes; at < file.Length && file[at] == BeginObject;)
        {
            var start = at;
            at += TagsBefore;
            fields.AddRange([new Piece(at, 4), new Piece(at + 4, 4), new Piece(at + 8, 4)]);
            var name = BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(at + 8));
            if (name is < 1 or > 64)
            {
                break; // damaged already
            }

            at += 12 + name + 1;
            if (name == "Trace".Length)
            {
                fields.AddRange([new Piece(at + 16, 8), new Piece(at + 24, 8), .. Enumerable.Range(0, 4).Select(i => new Piece(at + 32 + (4 * i), 4))]);
                at += TraceBytes;
            }
            else
            {
                var size = BinaryPrimitives.ReadInt32LittleEndian(file.AsSpan(at));
                if (size < 0 || size > file.Length - at)
                {
                    break;
                }

                fields.Add(new Piece(at, 4));
                at += 4;
                at += -at & 3;
                fields.AddRange(Numbers(at, size));
                at += size;
            }

            at++;
            pieces.Add(new Piece(start, at - start));
        }

        return new Layout(pieces, fields);
    }

    /// <summary>Returns the start of the file up to a size, with the end of a whole file.</summary>
    public static byte[] Cut(byte[] file, int most)
    {
        var end = Of(file).Pieces.Select(piece => piece.End).Where(at => at <= most).DefaultIfEmpty(PreambleBytes).Max();
        return [.. file.AsSpan(0, end), 1];
    }

    // Block headers (u16, u16, i64, i64), counts and ids of stacks and sequence points (i32, i64), and some bytes after
    // them.
    private static IEnumerable<Piece> Numbers(int at, int size)
    {
        foreach (var (offset, length) in new[] { (0, 2), (2, 2), (0, 4), (4, 4), (4, 8), (8, 4), (12, 8), (20, 4), (24, 8) })
        {
            if (offset + length <= size)
            {
                yield return new Piece(at + offset, length);
            }
        }
    }
}
