using Poolscope.Decode.WorkItems;

namespace Poolscope.Decode.Runtime;

/// <summary>Counts work items by what is known of them.</summary>
internal static class ItemCounter
{
    /// <param name="runtime">Null: the capture has no runtime stream.</param>
    public static ItemCounts Count(RuntimeTables? runtime)
    {
        if (runtime is null)
        {
            return new ItemCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        }

        var items = runtime.Items;
        var joined = 0L;
        Span<long> flagged = stackalloc long[7];
        for (var row = 0; row < items.Count; row++)
        {
            if (items.HowEnqueued(row) == EnqueueKnown.Event && items.HowDequeued(row) == DequeueKnown.Event)
            {
                joined++;
            }

            for (var flags = (int)items.Flags(row); flags != 0; flags &= flags - 1)
            {
                flagged[int.TrailingZeroCount(flags)]++;
            }
        }

        return new ItemCounts(
            items.Count,
            joined,
            Inlined: flagged[Bit(ItemFlags.Inlined)],
            CensoredStart: flagged[Bit(ItemFlags.CensoredStart)],
            QueuedAtEnd: flagged[Bit(ItemFlags.QueuedAtEnd)],
            RunningAtEnd: flagged[Bit(ItemFlags.RunningAtEnd)],
            Collided: flagged[Bit(ItemFlags.Collided)],
            Transferred: flagged[Bit(ItemFlags.Transferred)],
            EndsCorrected: flagged[Bit(ItemFlags.EndCorrected)],
            TaskTiesDropped: runtime.TiesDropped);
    }

    private static int Bit(ItemFlags flag) => int.TrailingZeroCount((int)flag);
}
