using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>TplEventSource. Every payload begins with OriginatingTaskSchedulerID, OriginatingTaskID, TaskID (int32 each).</summary>
internal static class TaskEvents
{
    private const int Synchronous = 1;

    public static bool Decode(in RawEvent e, IRuntimeEvents sink)
    {
        switch (e.Id)
        {
            case 7 when e.Has(20):
                sink.TaskScheduled(e.Time, e.Tid, e.Int32(8), creatingTaskId: e.Int32(12), options: e.Int32(16));
                return true;
            case 8 when e.Has(12):
                sink.TaskStarted(e.Time, e.Tid, e.Int32(8));
                return true;
            case 9 when e.Has(12):
                sink.TaskCompleted(e.Time, e.Tid, e.Int32(8));
                return true;
            case 10 when e.Has(16):
                sink.TaskWaitBegin(e.Time, e.Tid, e.Int32(8), e.Int32(12) == Synchronous);
                return true;
            case 11 when e.Has(12):
                sink.TaskWaitEnd(e.Time, e.Tid, e.Int32(8));
                return true;
            default:
                return false;
        }
    }
}
