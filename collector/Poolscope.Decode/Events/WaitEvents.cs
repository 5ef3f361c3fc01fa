using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Threads wait, for wait handles and for locks.</summary>
internal interface IWaitEvents
{
    /// <summary>A thread blocks in a wait handle or monitor (301).</summary>
    /// <param name="monitor">True: Monitor.Wait or what is built on it.</param>
    void WaitBegin(long time, int tid, bool monitor, long obj);

    /// <summary>The wait is over (302).</summary>
    void WaitEnd(long time, int tid);

    /// <summary>A thread found a lock held, after spinning (81).</summary>
    /// <param name="lockId">Identity of the lock; -1: the runtime is older than .NET 8.</param>
    /// <param name="owner">Thread that holds it; none: unknown.</param>
    void ContentionBegin(long time, int tid, long lockId, LockOwner owner);

    /// <summary>The thread has the lock (91).</summary>
    void ContentionEnd(long time, int tid);
}

/// <summary>WaitHandleWait (.NET 9 and later) and lock contention.</summary>
internal static class WaitEvents
{
    private const byte MonitorWait = 1;

    // flags u8, ClrInstanceID u16; then LockID, AssociatedObjectID (pointers) and LockOwnerThreadID u64 since version 2.
    private const int ContentionHeader = 3;

    public static bool Decode(in RawEvent e, IWaitEvents sink)
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

/// <summary>The owner of a lock, as an event names it: by one of two ids, which depends on the runtime's version.</summary>
/// <param name="Tid">Its OS thread id, if it is one; 0: nobody.</param>
/// <param name="Id">Its managed thread id, if it is one.</param>
internal readonly record struct LockOwner(int Tid, int Id)
{
    public static LockOwner Unknown => new(-1, -1);
}
