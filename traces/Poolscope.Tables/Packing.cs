using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Poolscope.Tables;

/// <summary>Some rows of an integer column, each as its distance from their minimum, in the fewest bits that hold
/// all.</summary>
/// <param name="Base">The value at distance 0; 0 if 64 bits hold the values themselves.</param>
/// <param name="Bits">Bits per row: 1, 2, 4, 8, 16, 32 or 64. Fewer than 8 fill a byte from its lowest bit on.</param>
/// <param name="Bytes">The distances, little-endian. The upper bits of the last byte may be unused.</param>
internal readonly record struct PackedRows(long Base, byte Bits, byte[] Bytes);

/// <summary>Packs integers a block at a time. Times within a block lie close together, and so do thread ids.</summary>
/// <remarks>Methods with a loop over a block are optimized at once: they are called too rarely for the runtime to
/// compile them again, and are most of the work.</remarks>
internal static class Packing
{
    internal const int BlockShift = 14;

    /// <summary>Rows of every block except a column's last one.</summary>
    internal const int BlockRows = 1 << BlockShift;

    /// <summary>Returns the bytes that this many rows take.</summary>
    internal static int BytesOf(int rows, byte bits) => (int)(((long)rows * bits + 7) / 8);

    /// <summary>Returns the base and the bits with which to pack rows.</summary>
    internal static (long Base, byte Bits) Fit<T>(ReadOnlySpan<T> rows)
        where T : unmanaged
    {
        var (least, most) = Extent(rows);
        return Fit(least, most);
    }

    private static (long Base, byte Bits) Fit(long least, long most)
    {
        var bits = BitsOf((ulong)most - (ulong)least);
        return (bits == 64 ? 0 : least, bits);
    }

    /// <param name="bytes">The destination, <see cref="BytesOf"/> bytes.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static void Pack<T>(ReadOnlySpan<T> rows, long least, byte bits, Span<byte> bytes)
        where T : unmanaged
    {
        switch (bits)
        {
            case 8:
                for (var i = 0; i < rows.Length; i++)
                {
                    bytes[i] = (byte)(Widen(rows[i]) - least);
                }

                break;
            case 16:
                var words = MemoryMarshal.Cast<byte, ushort>(bytes);
                for (var i = 0; i < rows.Length; i++)
                {
                    words[i] = (ushort)(Widen(rows[i]) - least);
                }

                break;
            case 32:
                var longer = MemoryMarshal.Cast<byte, uint>(bytes);
                for (var i = 0; i < rows.Length; i++)
                {
                    longer[i] = (uint)(Widen(rows[i]) - least);
                }

                break;
            case 64:
                var longest = MemoryMarshal.Cast<byte, long>(bytes);
                for (var i = 0; i < rows.Length; i++)
                {
                    longest[i] = Widen(rows[i]);
                }

                break;
            default:
                for (var (at, i) = (0, 0); i < rows.Length; at++)
                {
                    var several = 0;
                    for (var shift = 0; shift < 8 && i < rows.Length; shift += bits)
                    {
                        several |= (int)(Widen(rows[i++]) - least) << shift;
                    }

                    bytes[at] = (byte)several;
                }

                break;
        }
    }

    internal static PackedRows Pack<T>(ReadOnlySpan<T> rows)
        where T : unmanaged
    {
        var (least, most) = Extent(rows);
        var (from, bits) = Fit(least, most);
        var bytes = FreeBlocks.Take(rows.Length, bits);
        if (least == most)
        {
            Array.Clear(bytes);
        }
        else
        {
            Pack(rows, from, bits, bytes);
        }

        return new PackedRows(from, bits, bytes);
    }

    internal static T At<T>(in PackedRows packed, int row)
        where T : unmanaged => Narrow<T>(packed.Base + packed.Bits switch
        {
            8 => packed.Bytes[row],
            16 => BinaryPrimitives.ReadUInt16LittleEndian(packed.Bytes.AsSpan(row * 2)),
            32 => BinaryPrimitives.ReadUInt32LittleEndian(packed.Bytes.AsSpan(row * 4)),
            64 => BinaryPrimitives.ReadInt64LittleEndian(packed.Bytes.AsSpan(row * 8)),
            var bits => (packed.Bytes[row * bits >> 3] >> (row * bits & 7)) & ((1 << bits) - 1),
        });

    /// <param name="from">The first row to unpack.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static void Unpack<T>(in PackedRows packed, int from, Span<T> rows)
        where T : unmanaged
    {
        var (least, bytes) = (packed.Base, packed.Bytes);
        switch (packed.Bits)
        {
            case 8:
                for (var row = 0; row < rows.Length; row++)
                {
                    rows[row] = Narrow<T>(least + bytes[from + row]);
                }

                break;
            case 16:
                var words = MemoryMarshal.Cast<byte, ushort>(bytes).Slice(from, rows.Length);
                for (var row = 0; row < rows.Length; row++)
                {
                    rows[row] = Narrow<T>(least + words[row]);
                }

                break;
            case 32:
                var longer = MemoryMarshal.Cast<byte, uint>(bytes).Slice(from, rows.Length);
                for (var row = 0; row < rows.Length; row++)
                {
                    rows[row] = Narrow<T>(least + longer[row]);
                }

                break;
            case 64:
                var longest = MemoryMarshal.Cast<byte, long>(bytes).Slice(from, rows.Length);
                for (var row = 0; row < rows.Length; row++)
                {
                    rows[row] = Narrow<T>(least + longest[row]);
                }

                break;
            case var bits:
                var mask = (1 << bits) - 1;
                for (var row = 0; row < rows.Length; row++)
                {
                    var at = (from + row) * bits;
                    rows[row] = Narrow<T>(least + ((bytes[at >> 3] >> (at & 7)) & mask));
                }

                break;
        }
    }

    private static byte BitsOf(ulong range) => range switch
    {
        <= 1 => 1,
        <= 3 => 2,
        <= 15 => 4,
        <= byte.MaxValue => 8,
        <= ushort.MaxValue => 16,
        <= uint.MaxValue => 32,
        _ => 64,
    };

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static (long Least, long Most) Extent<T>(ReadOnlySpan<T> rows)
        where T : unmanaged
    {
        var vectors = MemoryMarshal.Cast<T, Vector<T>>(rows);
        var at = 0;
        var (least, most) = (Widen(rows[0]), Widen(rows[0]));
        if (vectors.Length > 0)
        {
            var (lows, highs) = (vectors[0], vectors[0]);
            foreach (var vector in vectors)
            {
                lows = Vector.Min(lows, vector);
                highs = Vector.Max(highs, vector);
            }

            for (var i = 0; i < Vector<T>.Count; i++)
            {
                least = Math.Min(least, Widen(lows[i]));
                most = Math.Max(most, Widen(highs[i]));
            }

            at = vectors.Length * Vector<T>.Count;
        }

        for (; at < rows.Length; at++)
        {
            least = Math.Min(least, Widen(rows[at]));
            most = Math.Max(most, Widen(rows[at]));
        }

        return (least, most);
    }

    // Each compiles to one move, because the type is known there.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static long Widen<T>(T value)
        where T : unmanaged =>
        typeof(T) == typeof(byte) ? Unsafe.BitCast<T, byte>(value)
        : typeof(T) == typeof(ushort) ? Unsafe.BitCast<T, ushort>(value)
        : typeof(T) == typeof(short) ? Unsafe.BitCast<T, short>(value)
        : typeof(T) == typeof(int) ? Unsafe.BitCast<T, int>(value)
        : typeof(T) == typeof(long) ? Unsafe.BitCast<T, long>(value)
        : throw new NotSupportedException($"{typeof(T).Name} is no integer of a table.");

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static T Narrow<T>(long value)
        where T : unmanaged =>
        typeof(T) == typeof(byte) ? Unsafe.BitCast<byte, T>((byte)value)
        : typeof(T) == typeof(ushort) ? Unsafe.BitCast<ushort, T>((ushort)value)
        : typeof(T) == typeof(short) ? Unsafe.BitCast<short, T>((short)value)
        : typeof(T) == typeof(int) ? Unsafe.BitCast<int, T>((int)value)
        : typeof(T) == typeof(long) ? Unsafe.BitCast<long, T>(value)
        : throw new NotSupportedException($"{typeof(T).Name} is no integer of a table.");
}
