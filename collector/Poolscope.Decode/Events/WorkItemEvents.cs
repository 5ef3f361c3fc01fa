using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>ThreadPoolEnqueueWork and ThreadPoolDequeueWork: workID int64.</summary>
internal static class WorkItemEvents
{
    public static bool Decode(in RawEvent e, IRuntimeEvents sink)
    {
        switch (e.Id)
        {
            case 30 when e.Has(8):
                sink.Enqueue(e.Time, e.Tid, e.Int64(0));
                return true;
            case 31 when e.Has(8):
                sink.Dequeue(e.Time, e.Tid, e.Int64(0));
                return true;
            default:
                return false;
        }
    }
}
