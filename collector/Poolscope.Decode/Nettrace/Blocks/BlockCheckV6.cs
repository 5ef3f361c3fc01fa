using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>What a sequence point of version 6 ends.</summary>
[Flags]
internal enum PointFlags : uint
{
    ForgetThreads = 1,
    ForgetKinds = 2,
}

/// <summary>Holds a block of version 6 against itself, and against what was described before it.</summary>
internal static class BlockCheckV6
{
    private const int PointHeaderBytes = 16;

    /// <summary>Checks a block of events, and gives it its <see cref="NettraceBlock.Index"/>.</summary>
    /// <exception cref="NettraceDamage">It cannot be true.</exception>
    public static void Events(NettraceBlock block, EventKinds kinds, StreamBounds bounds)
    {
        var bytes = block.Bytes;
        if (bytes.Length < NettraceBlock.EventHeaderBytes
            || BinaryPrimitives.ReadUInt16LittleEndian(bytes) is var size && (size < NettraceBlock.EventHeaderBytes || size > bytes.Length))
        {
            throw new NettraceDamage("the header of a block does not fit");
        }

        block.Index = EventIndex.Of(block, kinds);
        var (oldest, newest) = block.Index.Range;
        if (newest < oldest)
        {
            return; // no events
        }

        // one-collect takes the times of its flushes, and for the last of them the greatest number of 64 bits.
        if (oldest < block.OldestTicks || (ulong)newest > (ulong)block.NewestTicks)
        {
            throw new NettraceDamage("events are older or newer than their block says");
        }

        if (oldest < 0 || !bounds.Holds(block.Clock.Nanoseconds(oldest)) || !bounds.Holds(block.Clock.Nanoseconds(newest)))
        {
            throw new NettraceDamage("events from outside of the time that was recorded");
        }
    }

    /// <summary>Time (u64), what it ends, number of threads (u32 each); then of each its index and how far it has counted. Gives the
    /// block its <see cref="NettraceBlock.Counted"/>.</summary>
    /// <exception cref="NettraceDamage">It cannot be true.</exception>
    public static PointFlags SequencePoint(NettraceBlock block, StreamBounds bounds)
    {
        ReadOnlySpan<byte> bytes = block.Bytes;
        if (bytes.Length < PointHeaderBytes)
        {
            throw new NettraceDamage("a sequence point that is too short");
        }

        // one-collect writes the greatest number of 64 bits if it does not know when it ended.
        var ticks = BinaryPrimitives.ReadInt64LittleEndian(bytes);
        if (ticks >= 0 && !bounds.Holds(block.Clock.Nanoseconds(ticks)))
        {
            throw new NettraceDamage("a sequence point from outside of the time that was recorded");
        }

        block.Counted = Counted(bytes[PointHeaderBytes..], block.Threads!, static _ => { });
        return block.Counted.Count == BinaryPrimitives.ReadUInt32LittleEndian(bytes[12..])
            ? (PointFlags)BinaryPrimitives.ReadUInt32LittleEndian(bytes[8..])
            : throw new NettraceDamage("a sequence point that holds more or less than it says");
    }

    /// <summary>Threads by their indices, and how far they have counted.</summary>
    /// <param name="taken">Gets each index.</param>
    /// <exception cref="NettraceDamage">The last of them is incomplete, or stands for nothing.</exception>
    public static List<(int Row, uint Sequence)> Counted(ReadOnlySpan<byte> entries, FileThreads threads, Action<ulong> taken)
    {
        var counted = new List<(int Row, uint Sequence)>();
        for (var bytes = new BlockBytes(entries); !bytes.IsEmpty;)
        {
            var index = bytes.Variable();
            counted.Add((threads.Find(index).Row, (uint)bytes.Variable()));
            taken(index);
        }

        return counted;
    }
}
