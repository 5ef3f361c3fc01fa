using System.Buffers.Binary;

namespace Poolscope.Etl.Format;

/// <summary>Decompresses plain LZ77, the form without Huffman codes that [MS-XCA] 2.4 describes.</summary>
public static class Xpress
{
    private const int ShortLengths = 7;
    private const int HalfByteLengths = 15;
    private const int ByteLengths = 255;
    private const int LeastMatch = 3;

    /// <summary>Fills the output from the start of a compressed stream.</summary>
    /// <returns>False if the stream ends early or is invalid.</returns>
    public static bool TryDecompress(ReadOnlySpan<byte> input, Span<byte> output)
    {
        var (at, written, flags, flagsLeft, halfByteAt) = (0, 0, 0u, 0, -1);
        while (written < output.Length)
        {
            if (flagsLeft == 0)
            {
                if (input.Length - at < sizeof(uint))
                {
                    return false;
                }

                flags = BinaryPrimitives.ReadUInt32LittleEndian(input[at..]);
                (at, flagsLeft) = (at + sizeof(uint), 32);
            }

            flagsLeft--;
            if ((flags >> flagsLeft & 1) == 0)
            {
                if (at >= input.Length)
                {
                    return false;
                }

                output[written++] = input[at++];
                continue;
            }

            if (input.Length - at < sizeof(ushort))
            {
                return false;
            }

            var match = BinaryPrimitives.ReadUInt16LittleEndian(input[at..]);
            at += sizeof(ushort);
            var length = (long)(match & ShortLengths);
            if (length == ShortLengths && !TryLongLength(input, ref at, ref halfByteAt, out length))
            {
                return false;
            }

            var distance = (match >> 3) + 1;
            if (distance > written)
            {
                return false;
            }

            Copy(output, written, distance, (int)Math.Min(length + LeastMatch, output.Length - written));
            written += (int)Math.Min(length + LeastMatch, output.Length - written);
        }

        return true;
    }

    /// <summary>Reads a length of 7 or more: it continues in half a byte, which two matches share, then in one, two and
    /// four bytes.</summary>
    private static bool TryLongLength(ReadOnlySpan<byte> input, ref int at, ref int halfByteAt, out long length)
    {
        length = 0;
        if (halfByteAt < 0)
        {
            if (at >= input.Length)
            {
                return false;
            }

            (length, halfByteAt) = (input[at] & HalfByteLengths, at);
            at++;
        }
        else
        {
            (length, halfByteAt) = (input[halfByteAt] >> 4, -1);
        }

        if (length < HalfByteLengths)
        {
            length += ShortLengths;
            return true;
        }

        if (at >= input.Length)
        {
            return false;
        }

        length = input[at++];
        if (length < ByteLengths)
        {
            length += HalfByteLengths + ShortLengths;
            return true;
        }

        return TryWideLength(input, ref at, out length);
    }

    private static bool TryWideLength(ReadOnlySpan<byte> input, ref int at, out long length)
    {
        length = 0;
        if (input.Length - at < sizeof(ushort))
        {
            return false;
        }

        length = BinaryPrimitives.ReadUInt16LittleEndian(input[at..]);
        at += sizeof(ushort);
        if (length == 0)
        {
            if (input.Length - at < sizeof(uint))
            {
                return false;
            }

            length = BinaryPrimitives.ReadUInt32LittleEndian(input[at..]);
            at += sizeof(uint);
        }

        return length >= HalfByteLengths + ShortLengths;
    }

    /// <summary>Copies a match, which may overlap the bytes that it writes.</summary>
    private static void Copy(Span<byte> output, int to, int distance, int length)
    {
        if (distance >= length)
        {
            output.Slice(to - distance, length).CopyTo(output[to..]);
        }
        else
        {
            for (var i = 0; i < length; i++)
            {
                output[to + i] = output[to + i - distance];
            }
        }
    }
}
