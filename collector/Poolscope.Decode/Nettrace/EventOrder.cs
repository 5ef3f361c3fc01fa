using System.Runtime.InteropServices;

namespace Poolscope.Decode.Nettrace;

/// <summary>Holds the blocks of a .nettrace file against each other: each thread writes its events in order of time, and
/// nothing that follows an event which the file calls sorted is older than it.</summary>
internal sealed class EventOrder
{
    private readonly Dictionary<long, long> _newest = [];
    private long _sorted = long.MinValue;

    /// <param name="block">Of events; the next one of the file.</param>
    /// <exception cref="NettraceDamage">An event is out of place.</exception>
    public void Check(NettraceBlock block)
    {
        for (var cursor = new EventCursor(block.Events); cursor.Next();)
        {
            ref var newest = ref CollectionsMarshal.GetValueRefOrAddDefault(_newest, cursor.CaptureThreadId, out var isKnown);
            if (cursor.Ticks < _sorted || (isKnown && cursor.Ticks < newest))
            {
                throw new NettraceDamage("an event is older than those before it");
            }

            newest = cursor.Ticks;
            _sorted = cursor.IsSorted ? cursor.Ticks : _sorted;
        }
    }
}
