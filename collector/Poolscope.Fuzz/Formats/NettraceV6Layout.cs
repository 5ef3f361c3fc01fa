using System.Buffers.Binary;

namespace Poolscope.Fuzz.Formats;

/// <summary>The structure of a .nettrace file of version 6: blocks, each with its size and kind before it.</summary>
internal static class NettraceV6Layout
{
    private const int PreambleBytes = 20;
    private const int BlockHeaderBytes = 4;

    /// <summary>Returns blocks as pieces, and as fields their sizes, their kinds, and the numbers at their
    /// beginnings.</summary>
    public static Layout Of(byte[] file)
    {
        var pieces = new List<Piece>();
        var fields = new List<Piece> { new(8, 4), new(12, 4), new(16, 4) };
        for (var at = PreambleBytes; at + BlockHeaderBytes <= file.Length;)
        {
            var size = (int)(BinaryPrimitives.ReadUInt32LittleEndian(file.AsSpan(at)) & 0xff_ffff);
            if (size > file.Length - at - BlockHeaderBytes)
            {
                break; // damaged already
            }

            pieces.Add(new Piece(at, BlockHeaderBytes + size));
            fields.AddRange([new Piece(at, 3), new Piece(at + 3, 1)]);
            foreach (var (offset, length) in new[] { (0, 2), (2, 2), (0, 4), (4, 4), (4, 8), (8, 4), (12, 4), (12, 8), (16, 8), (20, 1), (21, 1), (22, 1), (24, 8), (32, 4), (36, 4) })
            {
                if (offset + length <= size)
                {
                    fields.Add(new Piece(at + BlockHeaderBytes + offset, length));
                }
            }

            at += BlockHeaderBytes + size;
        }

        return new Layout(pieces, fields);
    }
}
