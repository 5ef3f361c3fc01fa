using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>Checks a block of a .nettrace file against itself, the described kinds of events, and the times that its
/// capture allows. Event times are stored as differences, so one changed byte shifts all later times. The header of a
/// block holds the times of its oldest and newest event, which reveal such a shift.</summary>
internal static class BlockCheck
{
    private const int PointBytes = 12;
    private const int StackHeaderBytes = 8;

    /// <summary>Checks a block, and sets the <see cref="NettraceBlock.Index"/> of a block of events.</summary>
    /// <exception cref="NettraceDamage">The block is damaged.</exception>
    public static void Check(NettraceBlock block, EventKinds kinds, StreamBounds bounds)
    {
        switch (block.Kind)
        {
            case BlockKind.Metadata:
                Header(block);
                Metadata(block);
                break;
            case BlockKind.Events:
                Header(block);
                Events(block, kinds, bounds);
                break;
            case BlockKind.Stacks:
                Stacks(block.Bytes);
                break;
            case BlockKind.SequencePoint:
                SequencePoint(block, bounds);
                break;
        }
    }

    private static void Header(NettraceBlock block)
    {
        var bytes = block.Bytes;
        if (bytes.Length < NettraceBlock.EventHeaderBytes
            || BinaryPrimitives.ReadUInt16LittleEndian(bytes) is var size && (size < NettraceBlock.EventHeaderBytes || size > bytes.Length))
        {
            throw new NettraceDamage("the header of a block does not fit");
        }

        if (!block.IsCompressed)
        {
            throw new NettraceDamage("a block whose events have headers that are not read");
        }
    }

    private static void Metadata(NettraceBlock block)
    {
        var cursor = new EventCursor(block.Events);
        while (cursor.Next())
        {
        }

        cursor.RequireWhole();
    }

    private static void Events(NettraceBlock block, EventKinds kinds, StreamBounds bounds)
    {
        block.Index = EventIndex.Of(block, kinds);
        var (oldest, newest) = block.Index.Range;
        if (newest < oldest)
        {
            return; // no events
        }

        if (oldest != block.OldestTicks || newest != block.NewestTicks)
        {
            throw new NettraceDamage("events are older or newer than their block says");
        }

        if (oldest < 0 || !bounds.Holds(block.Clock.Nanoseconds(oldest)) || !bounds.Holds(block.Clock.Nanoseconds(newest)))
        {
            throw new NettraceDamage("events from outside of the time that was recorded");
        }
    }

    /// <summary>Checks a block of stacks: the id of the first stack and the number of stacks (i32 each), then the size
    /// in bytes and the addresses of each stack.</summary>
    private static void Stacks(ReadOnlySpan<byte> block)
    {
        if (block.Length < StackHeaderBytes)
        {
            throw new NettraceDamage("a block of stacks that is too short");
        }

        var count = BinaryPrimitives.ReadInt32LittleEndian(block[sizeof(int)..]);
        var rest = block[StackHeaderBytes..];
        for (; count > 0; count--)
        {
            if (rest.Length < sizeof(int) || BinaryPrimitives.ReadInt32LittleEndian(rest) is var size && (size < 0 || size > rest.Length - sizeof(int)))
            {
                throw new NettraceDamage("a stack reaches beyond its block");
            }

            rest = rest[(sizeof(int) + BinaryPrimitives.ReadInt32LittleEndian(rest))..];
        }

        if (!rest.IsEmpty || count < 0)
        {
            throw new NettraceDamage("a block of stacks that holds more or less than it says");
        }
    }

    /// <summary>Checks a sequence point: time (i64) and number of threads (i32), then the id (i64) and the event count
    /// (u32) of each thread.</summary>
    private static void SequencePoint(NettraceBlock block, StreamBounds bounds)
    {
        var bytes = block.Bytes;
        if (bytes.Length < PointBytes || BinaryPrimitives.ReadInt32LittleEndian(bytes[sizeof(long)..]) != (bytes.Length / PointBytes) - 1 || bytes.Length % PointBytes != 0)
        {
            throw new NettraceDamage("a sequence point that holds more or less than it says");
        }

        var ticks = BinaryPrimitives.ReadInt64LittleEndian(bytes);
        if (ticks < 0 || !bounds.Holds(block.Clock.Nanoseconds(ticks)))
        {
            throw new NettraceDamage("a sequence point from outside of the time that was recorded");
        }
    }
}
