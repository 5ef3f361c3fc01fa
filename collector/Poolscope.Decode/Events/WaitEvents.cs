using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>WaitHandleWait (.NET 9 and later) and lock contention.</summary>
internal static class WaitEvents
{
    private const byte MonitorWait = 1;

    // flags u8, ClrInstanceID u16; then LockID, AssociatedObjectID (pointers) and LockOwnerThreadID u64 since version 2.
    private const int ContentionHeader = 3;

    public static bool Decode(in RawEvent e, IRuntimeEvents sink)
    {
        switch (e.Id)
        {
            case 301 when e.Has(e.Offset(1, 1)):
                sink.WaitBegin(e.Time, e.Tid, e.Payload[0] == MonitorWait, e.Pointer(1));
                return true;
            case 302:
                sink.WaitEnd(e.Time, e.Tid);
                return true;
            case 81 when e.Has(e.Offset(ContentionHeader + 8, 2)):
                var owner = (int)e.Int64(e.Offset(ContentionHeader, 2));
                sink.ContentionBegin(e.Time, e.Tid, e.Pointer(ContentionHeader), new LockOwner(e.Thread(owner), owner));
                return true;
            case 81:
                sink.ContentionBegin(e.Time, e.Tid, lockId: -1, LockOwner.Unknown);
                return true;
            case 91:
                sink.ContentionEnd(e.Time, e.Tid);
                return true;
            default:
                return false;
        }
    }
}
