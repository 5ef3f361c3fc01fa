using System.Buffers.Binary;
using Poolscope.Decode.Nettrace.Blocks;
using Poolscope.Decode.Nettrace.Kinds;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Tests.Nettrace;

/// <param name="Number">Number of the event in its thread, from 1 on.</param>
/// <param name="Sorted">Whether no later event is older.</param>
/// <param name="Id">Id in the payload.</param>
internal sealed record WrittenEvent(long Thread, uint Number, long Ticks, bool Sorted, int Id);

/// <summary>Writes blocks of events as the runtime does: a header holds only the fields that differ from the header
/// before.</summary>
internal static class BlockWriter
{
    public const int Kind = 7;

    /// <summary>Returns a block that was checked and has its index.</summary>
    public static NettraceBlock Checked(IReadOnlyList<WrittenEvent> events)
    {
        var block = Write(events);
        var kinds = new EventKinds();
        kinds.Add(Kind, new EventKind("Provider", Guid.Empty, 1));
        BlockCheck.Check(block, kinds, StreamBounds.None);
        return block;
    }

    private static NettraceBlock Write(IReadOnlyList<WrittenEvent> events)
    {
        var bytes = new List<byte>();
        var (thread, number, ticks) = (0L, 0U, 0L);
        foreach (var (e, isFirst) in events.Select((e, i) => (e, i == 0)))
        {
            var numbered = isFirst || e.Thread != thread || e.Number != number + 1;
            bytes.Add((byte)((isFirst ? 1 | 128 : 0) | (numbered ? 2 | 4 : 0) | (e.Sorted ? 64 : 0)));
            if (isFirst)
            {
                Variable(bytes, Kind);
            }

            if (numbered)
            {
                Variable(bytes, e.Number - 1 - number);
                Variable(bytes, (ulong)e.Thread);
                Variable(bytes, 1);
                Variable(bytes, (ulong)e.Thread);
            }

            Variable(bytes, (ulong)(e.Ticks - ticks));
            if (isFirst)
            {
                Variable(bytes, sizeof(int));
            }

            bytes.AddRange(BitConverter.GetBytes(e.Id));
            (thread, number, ticks) = (e.Thread, e.Number, e.Ticks);
        }

        var block = new NettraceBlock(BlockKind.Events, NettraceBlock.EventHeaderBytes + bytes.Count) { Clock = new TickClock(1_000_000_000), PointerSize = 8 };
        BinaryPrimitives.WriteInt16LittleEndian(block.Bytes, NettraceBlock.EventHeaderBytes);
        BinaryPrimitives.WriteInt16LittleEndian(block.Bytes[2..], 1);
        BinaryPrimitives.WriteInt64LittleEndian(block.Bytes[4..], events.Min(e => e.Ticks));
        BinaryPrimitives.WriteInt64LittleEndian(block.Bytes[12..], events.Max(e => e.Ticks));
        bytes.ToArray().CopyTo(block.Bytes[NettraceBlock.EventHeaderBytes..]);
        return block;
    }

    private static void Variable(List<byte> bytes, ulong value)
    {
        for (; value >= 0x80; value >>= 7)
        {
            bytes.Add((byte)(value | 0x80));
        }

        bytes.Add((byte)value);
    }
}
