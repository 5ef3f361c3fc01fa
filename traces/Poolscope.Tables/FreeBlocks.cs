using System.Collections.Concurrent;
using System.Numerics;

namespace Poolscope.Tables;

/// <summary>The bytes of packed blocks that no column needs any more, for the next blocks. A decoder drops one table
/// while it fills another, and the garbage collector seldom runs. It may take these bytes: a process that goes on after
/// a decoding does not keep them.</summary>
internal static class FreeBlocks
{
    private const int Sizes = 7; // 1, 2, 4 to 64 bits per row

    private static readonly WeakReference<ConcurrentStack<byte[]>[]> Kept = new(New());

    /// <summary>Returns bytes for a block; their contents are undefined.</summary>
    internal static byte[] Take(int rows, byte bits) =>
        rows == Packing.BlockRows && BySize(bits).TryPop(out var free)
            ? free

            // Pinned: hundreds of megabytes of these live to the end, and the collector would copy each between
            // generations.
            : GC.AllocateUninitializedArray<byte>(Packing.BytesOf(rows, bits), pinned: true);

    /// <param name="packed">A block that nothing refers to.</param>
    internal static void Return(in PackedRows packed)
    {
        if (packed.Bytes.Length == Packing.BytesOf(Packing.BlockRows, packed.Bits))
        {
            BySize(packed.Bits).Push(packed.Bytes);
        }
    }

    private static ConcurrentStack<byte[]> BySize(byte bits)
    {
        if (!Kept.TryGetTarget(out var stacks))
        {
            Kept.SetTarget(stacks = New());
        }

        return stacks[BitOperations.Log2(bits)];
    }

    private static ConcurrentStack<byte[]>[] New() => [.. Enumerable.Range(0, Sizes).Select(_ => new ConcurrentStack<byte[]>())];
}
