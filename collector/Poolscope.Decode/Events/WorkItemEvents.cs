using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Receives the work items that enter and leave the queues of a pool.</summary>
internal interface IWorkItemEvents
{
    /// <summary>A work item is about to enter a queue (FrameworkEventSource 30). A worker that must stop writes the
    /// event again for each item that it moves from its local queue to the global one.</summary>
    /// <param name="workId">The item's hash code: not unique.</param>
    void Enqueue(long time, int tid, long workId);

    /// <summary>A worker is about to run a work item (31).</summary>
    void Dequeue(long time, int tid, long workId);
}

/// <summary>Decodes ThreadPoolEnqueueWork and ThreadPoolDequeueWork: workID int64.</summary>
internal static class WorkItemEvents
{
    public static bool Decode(in RawEvent e, IWorkItemEvents sink)
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
