using System.Runtime.InteropServices;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>Checks the blocks of a .nettrace file against each other. Each thread writes its events in order of time,
/// and no event is older than an earlier event that the file marks as sorted.</summary>
internal sealed class EventOrder
{
    private readonly Dictionary<long, long> _newest = [];
    private long _sorted = long.MinValue;
    private long _newestOfAll = long.MinValue;

    /// <param name="block">The next block of events in the file.</param>
    /// <exception cref="NettraceDamage">An event is out of order.</exception>
    public void Check(NettraceBlock block)
    {
        foreach (ref readonly var run in block.Index.Runs)
        {
            ref var newest = ref CollectionsMarshal.GetValueRefOrAddDefault(_newest, run.Thread, out var isKnown);
            if (run.FirstTicks < _sorted || (isKnown && run.FirstTicks < newest))
            {
                throw OutOfPlace();
            }

            newest = run.LastTicks;
            _newestOfAll = Math.Max(_newestOfAll, newest);
            _sorted = run.IsSorted ? run.FirstTicks : _sorted;
        }

        if (!block.Index.IsInOrder)
        {
            throw OutOfPlace();
        }
    }

    /// <summary>Takes a sequence point of version 6: no event after it is older than an event before it.</summary>
    public void ReachedPoint() => _sorted = Math.Max(_sorted, _newestOfAll);

    private static NettraceDamage OutOfPlace() => new("an event is older than those before it");
}
