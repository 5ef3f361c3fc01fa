using Poolscope.Decode.WorkItems;

namespace Poolscope.Decode.Runtime;

/// <summary>Counts work items by how completely they were recorded.</summary>
internal static class ItemCounter
{
    private const int AtOnce = 4096;

    /// <param name="runtime">The runtime's tables; null if the capture has no runtime stream.</param>
    public static ItemCounts Count(RuntimeTables? runtime)
    {
        if (runtime is null)
        {
            return new ItemCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        }

        var items = runtime.Items;
        var joined = 0L;
        Span<long> flagged = stackalloc long[7];
        Span<byte> enqueued = stackalloc byte[AtOnce];
        Span<byte> dequeued = stackalloc byte[AtOnce];
        Span<ushort> flags = stackalloc ushort[AtOnce];
        for (int row = 0, rows; (rows = items.CopyKnown(row, enqueued, dequeued, flags)) > 0; row += rows)
        {
            for (var i = 0; i < rows; i++)
            {
                joined += enqueued[i] == (byte)EnqueueKnown.Event && dequeued[i] == (byte)DequeueKnown.Event ? 1 : 0;
                for (int rest = flags[i]; rest != 0; rest &= rest - 1)
                {
                    flagged[int.TrailingZeroCount(rest)]++;
                }
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
