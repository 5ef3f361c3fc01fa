using System.Buffers.Binary;

namespace Poolscope.Fuzz.Corpus;

/// <summary>Plain LZ77 compression ([MS-XCA] 2.3), not the best one: it takes the latest match of three bytes, as far
/// as it goes.</summary>
internal static class XpressWriter
{
    private const int Window = 8192;
    private const int Least = 3;

    public static byte[] Compress(ReadOnlySpan<byte> input)
    {
        var output = new List<byte>();
        var seen = new Dictionary<int, int>();
        var (flags, left, flagsAt, halfByteAt) = (0u, 0, 0, -1);
        for (var at = 0; at < input.Length;)
        {
            if (left == 0)
            {
                Put(output, flagsAt, flags);
                (flags, left, flagsAt) = (0, 32, output.Count);
                output.AddRange(new byte[sizeof(uint)]);
            }

            var (distance, length) = Match(input, at, seen);
            left--;
            if (length == 0)
            {
                output.Add(input[at++]);
                continue;
            }

            flags |= 1u << left;
            Write(output, distance, length, ref halfByteAt);
            at += length;
        }

        if (left > 0)
        {
            flags |= (1u << left) - 1; // the bits after the last byte read as a match that is not there
        }

        Put(output, flagsAt, flags);
        return [.. output];
    }

    private static (int Distance, int Length) Match(ReadOnlySpan<byte> input, int at, Dictionary<int, int> seen)
    {
        if (input.Length - at < Least)
        {
            return (0, 0);
        }

        var key = input[at] | input[at + 1] << 8 | input[at + 2] << 16;
        var found = seen.TryGetValue(key, out var from) && at - from <= Window;
        seen[key] = at;
        return found ? (at - from, input[at..].CommonPrefixLength(input[from..])) : (0, 0);
    }

    private static void Write(List<byte> output, int distance, int length, ref int halfByteAt)
    {
        var rest = length - Least;
        UInt16(output, (distance - 1) << 3 | Math.Min(rest, 7));
        if (rest < 7)
        {
            return;
        }

        rest -= 7;
        var half = Math.Min(rest, 15);
        if (halfByteAt < 0)
        {
            halfByteAt = output.Count;
            output.Add((byte)half);
        }
        else
        {
            output[halfByteAt] |= (byte)(half << 4);
            halfByteAt = -1;
        }

        if (half < 15)
        {
            return;
        }

        rest -= 15;
        output.Add((byte)Math.Min(rest, 255));
        if (rest >= 255)
        {
            UInt16(output, rest + 15 + 7);
        }
    }

    private static void UInt16(List<byte> output, int value)
    {
        output.Add((byte)value);
        output.Add((byte)(value >> 8));
    }

    private static void Put(List<byte> output, int at, uint value)
    {
        if (output.Count >= at + sizeof(uint))
        {
            BinaryPrimitives.WriteUInt32LittleEndian(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(output)[at..], value);
        }
    }
}
