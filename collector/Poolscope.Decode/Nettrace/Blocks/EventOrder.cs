using System.Runtime.InteropServices;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>Holds the blocks of a .nettrace file against each other: each thread writes its events in order of time, and
/// nothing that follows an event which the file calls sorted is older than it.</summary>
internal sealed class EventOrder
{
    private readonly Dictionary<long, long> _newest = [];
    private long _sorted = long.MinValue;
    private long _newestOfAll = long.MinValue;

    /// <param name="block">Of events; the next one of the file.</param>
    /// <exception cref="NettraceDamage">An event is out of place.</exception>
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

    /// <summary>Of version 6: nothing that follows a sequence point is older than what came before it.</summary>
    public void ReachedPoint() => _sorted = Math.Max(_sorted, _newestOfAll);

    private static NettraceDamage OutOfPlace() => new("an event is older than those before it");
}
