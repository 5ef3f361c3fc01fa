using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>The tables that a sequence point of version 6 clears.</summary>
[Flags]
internal enum PointFlags : uint
{
    ForgetThreads = 1,
    ForgetKinds = 2,
}

/// <summary>Checks a block of version 6 against itself and the descriptions before it.</summary>
internal static class BlockCheckV6
{
    private const int PointHeaderBytes = 16;

    /// <summary>Checks a block of events, and sets its <see cref="NettraceBlock.Index"/>.</summary>
    /// <exception cref="NettraceDamage">The block is damaged.</exception>
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

        // one-collect writes the times of its flushes instead, and the largest 64-bit number for the last flush.
        if (oldest < block.OldestTicks || (ulong)newest > (ulong)block.NewestTicks)
        {
            throw new NettraceDamage("events are older or newer than their block says");
        }

        if (oldest < 0 || !bounds.Holds(block.Clock.Nanoseconds(oldest)) || !bounds.Holds(block.Clock.Nanoseconds(newest)))
        {
            throw new NettraceDamage("events from outside of the time that was recorded");
        }
    }

    /// <summary>Checks a sequence point: time (u64), flags and number of threads (u32 each), then the index and the
    /// event count of each thread. Sets the block's <see cref="NettraceBlock.Counted"/>.</summary>
    /// <exception cref="NettraceDamage">The sequence point is damaged.</exception>
    public static PointFlags SequencePoint(NettraceBlock block, StreamBounds bounds)
    {
        ReadOnlySpan<byte> bytes = block.Bytes;
        if (bytes.Length < PointHeaderBytes)
        {
            throw new NettraceDamage("a sequence point that is too short");
        }

        // one-collect writes the largest 64-bit number if it does not know when it ended.
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

    /// <summary>Reads threads by index, with their event counts.</summary>
    /// <param name="taken">Receives each index.</param>
    /// <exception cref="NettraceDamage">The last entry is incomplete, or an index denotes no thread.</exception>
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
