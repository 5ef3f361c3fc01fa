namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>An event of a block with its header decoded. Offsets count from the start of the block's events.</summary>
/// <param name="Thread">The thread that the event is about; in version 6, its number among
/// <see cref="NettraceBlock.Threads"/>.</param>
/// <param name="Offset">The offset of the payload.</param>
/// <param name="ActivityOffset">The offset of the activity's id; -1 if there is none. In version 6, the number of both
/// ids among <see cref="NettraceBlock.Labels"/>.</param>
/// <param name="RelatedOffset">The offset of the id of the activity in which this one began; -1 if none.</param>
internal readonly record struct EventEntry(
    long Ticks, int Thread, int MetadataId, int Offset, int Length, int ActivityOffset, int RelatedOffset);

/// <summary>Consecutive events of a block that come from one thread's buffer and have numbers without a gap.</summary>
/// <param name="Thread">The thread whose buffer held the events and which numbers them; in version 6, the number of the
/// row that gave the thread its index.</param>
/// <param name="IsSorted">No later event in the file is older than the first event.</param>
/// <param name="First">The index of the first event in the block.</param>
/// <param name="Before">The thread's expected event count before the first event.</param>
internal record struct EventRun(long Thread, bool IsSorted, int First, uint Before, long FirstTicks)
{
    /// <summary>The index after the last event.</summary>
    public int End { get; set; }

    /// <summary>The number of the last event.</summary>
    public uint LastSequence { get; set; }

    public long LastTicks { get; set; }
}
