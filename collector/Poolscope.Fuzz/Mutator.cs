using System.Buffers.Binary;
using System.Globalization;
using System.Text;
using Poolscope.Fuzz.Formats;

namespace Poolscope.Fuzz;

/// <summary>Makes damaged files from sound ones. The same random numbers give the same files.</summary>
internal sealed class Mutator(FileFormat format, Random random)
{
    private const int MostSteps = 4;
    private const int LongestRun = 300;

    // Boundaries: around zero, signs, sizes of types, and the limits of files and memory.
    private static readonly long[] Boundaries =
    [
        0, 1, 2, 3, 7, 8, 12, 16, 63, 64, 127, 128, 255, 256, 4095, 4096, 32767, 32768, 65535, 65536, (1 << 20) - 1, 1 << 26, int.MaxValue - 1, int.MaxValue,
        (long)int.MaxValue + 1, uint.MaxValue, (long)uint.MaxValue + 1, 1L << 40, 1L << 61, long.MaxValue - 1, long.MaxValue, -1, -2, -8, short.MinValue, int.MinValue, long.MinValue,
    ];

    private static readonly string[] Words = ["null", "true", "-1", "1e999", "NaN", "\"x\"", "{}", "[]", "\"../../x\"", "\"\\\\\\\\server\\\\x.pdb\"", "\u0000", ",", "\n"];

    /// <param name="sound">The file to damage; it is not changed.</param>
    /// <param name="other">A file whose pieces may be inserted.</param>
    public byte[] Mutate(byte[] sound, byte[] other)
    {
        var bytes = sound;
        for (var steps = random.Next(1, MostSteps + 1); steps > 0; steps--)
        {
            bytes = Step(bytes, other);
        }

        return bytes;
    }

    private byte[] Step(byte[] bytes, byte[] other)
    {
        var layout = format.LayoutOf(bytes);
        return random.Next(12) switch
        {
            0 => Flip(bytes),
            1 => SetByte(bytes),
            2 => bytes[..random.Next(bytes.Length + 1)],
            3 => Noise(bytes),
            4 => Drop(bytes, Any(layout.Pieces, bytes)),
            5 => Insert(bytes, Any(layout.Pieces, bytes).Offset, Slice(bytes, Any(layout.Pieces, bytes))),
            6 => Insert(bytes, Any(layout.Pieces, bytes).Offset, Slice(other, Any(format.LayoutOf(other).Pieces, other))),
            7 => Swap(bytes, Any(layout.Pieces, bytes), Any(layout.Pieces, bytes)),
            8 => Repeat(bytes, Any(layout.Pieces, bytes)),
            _ when layout.Fields.Count > 0 => SetField(bytes, Any(layout.Fields, bytes)),
            _ => Flip(bytes),
        };
    }

    private Piece Any(IReadOnlyList<Piece> of, byte[] bytes)
    {
        if (of.Count > 0 && random.Next(10) > 0 && of[random.Next(of.Count)] is var piece && piece.End <= bytes.Length)
        {
            return piece;
        }

        var at = random.Next(bytes.Length + 1);
        return new Piece(at, random.Next(Math.Min(LongestRun, bytes.Length - at) + 1));
    }

    private byte[] Flip(byte[] bytes)
    {
        var changed = bytes.ToArray();
        if (changed.Length > 0)
        {
            changed[random.Next(changed.Length)] ^= (byte)(1 << random.Next(8));
        }

        return changed;
    }

    private byte[] SetByte(byte[] bytes)
    {
        var changed = bytes.ToArray();
        if (changed.Length > 0)
        {
            changed[random.Next(changed.Length)] = (byte)Boundaries[random.Next(Boundaries.Length)];
        }

        return changed;
    }

    private byte[] Noise(byte[] bytes)
    {
        var changed = bytes.ToArray();
        var at = random.Next(changed.Length + 1);
        random.NextBytes(changed.AsSpan(at, random.Next(Math.Min(LongestRun, changed.Length - at) + 1)));
        return changed;
    }

    private byte[] SetField(byte[] bytes, Piece field)
    {
        var value = random.Next(3) switch
        {
            0 => Boundaries[random.Next(Boundaries.Length)],
            1 => bytes.Length + random.Next(-9, 10),
            _ => random.NextInt64() >> random.Next(64),
        };
        if (format.IsText)
        {
            var text = random.Next(4) == 0 ? Words[random.Next(Words.Length)] : value.ToString(CultureInfo.InvariantCulture);
            return Insert(Drop(bytes, field), field.Offset, Encoding.UTF8.GetBytes(text));
        }

        var changed = bytes.ToArray();
        Span<byte> number = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(number, random.Next(3) == 0 ? Near(bytes, field) : value);
        number[..Math.Min(field.Length, number.Length)].CopyTo(changed.AsSpan(field.Offset));
        return changed;
    }

    /// <summary>Returns a value close to the old one: times that run on, ids that exist.</summary>
    private long Near(byte[] bytes, Piece field)
    {
        Span<byte> number = stackalloc byte[sizeof(long)];
        number.Clear();
        bytes.AsSpan(field.Offset, Math.Min(field.Length, number.Length)).CopyTo(number);
        return BinaryPrimitives.ReadInt64LittleEndian(number) + (random.Next(-100, 101) * (1L << random.Next(40)));
    }

    private byte[] Repeat(byte[] bytes, Piece piece)
    {
        var times = random.Next(2, 64);
        return Insert(bytes, piece.Offset, [.. Enumerable.Repeat(Slice(bytes, piece), times).SelectMany(same => same)]);
    }

    private static byte[] Slice(byte[] bytes, Piece piece) => bytes.AsSpan(piece.Offset, piece.Length).ToArray();

    private static byte[] Drop(byte[] bytes, Piece piece) => [.. bytes.AsSpan(0, piece.Offset), .. bytes.AsSpan(piece.End)];

    private static byte[] Insert(byte[] bytes, int at, byte[] what) => [.. bytes.AsSpan(0, at), .. what, .. bytes.AsSpan(at)];

    private static byte[] Swap(byte[] bytes, Piece a, Piece b)
    {
        var (first, second) = a.Offset <= b.Offset ? (a, b) : (b, a);
        return first.End > second.Offset
            ? bytes
            : [.. bytes.AsSpan(0, first.Offset), .. Slice(bytes, second), .. bytes.AsSpan(first.End, second.Offset - first.End), .. Slice(bytes, first), .. bytes.AsSpan(second.End)];
    }
}
