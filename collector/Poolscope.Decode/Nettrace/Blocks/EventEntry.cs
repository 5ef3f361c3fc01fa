namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>An event of a block: its header, written out. Offsets are counted from the start of the block's events.</summary>
/// <param name="Thread">Thread that the event is about; of version 6 its number among <see cref="NettraceBlock.Threads"/>.</param>
/// <param name="Offset">Of its payload.</param>
/// <param name="ActivityOffset">Of the activity's id; -1: none. Of version 6 the number of both ids among
/// <see cref="NettraceBlock.Labels"/>.</param>
/// <param name="RelatedOffset">Of the id of the activity that this one began in; -1: none.</param>
internal readonly record struct EventEntry(
    long Ticks, int Thread, int MetadataId, int Offset, int Length, int ActivityOffset, int RelatedOffset);

/// <summary>Events of a block that lie one behind the other, come from one thread's buffer and bear numbers without a gap.</summary>
/// <param name="Thread">In whose buffer they were, which numbers its events. Of version 6 the number of the row that gave the
/// thread its index.</param>
/// <param name="IsSorted">Nothing that comes later in the file is older than the first of them.</param>
/// <param name="First">Index of the first of them in the block.</param>
/// <param name="Before">What the thread must have counted to before the first.</param>
internal record struct EventRun(long Thread, bool IsSorted, int First, uint Before, long FirstTicks)
{
    /// <summary>Index behind the last of them.</summary>
    public int End { get; set; }

    /// <summary>Number of the last of them.</summary>
    public uint LastSequence { get; set; }

    public long LastTicks { get; set; }
}
