using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Receives the waits of threads for wait handles and locks.</summary>
internal interface IWaitEvents
{
    /// <summary>A thread blocks in a wait handle or monitor (301).</summary>
    /// <param name="monitor">True for Monitor.Wait and the waits built on it.</param>
    void WaitBegin(long time, int tid, bool monitor, long obj);

    /// <summary>The wait is over (302).</summary>
    void WaitEnd(long time, int tid);

    /// <summary>A thread found a lock held, after spinning (81).</summary>
    /// <param name="lockId">The identity of the lock; -1 if the runtime is older than .NET 8.</param>
    /// <param name="owner">The thread that holds the lock; <see cref="LockOwner.Unknown"/> if not reported.</param>
    void ContentionBegin(long time, int tid, long lockId, LockOwner owner);

    /// <summary>The thread acquired the lock (91).</summary>
    void ContentionEnd(long time, int tid);
}

/// <summary>Decodes WaitHandleWait (.NET 9 and later) and lock contention.</summary>
internal static class WaitEvents
{
    private const byte MonitorWait = 1;

    // flags u8, ClrInstanceID u16; LockID, AssociatedObjectID (pointers) and, since version 2, LockOwnerThreadID u64.
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

/// <summary>The owner of a lock as an event names it: by one of two ids, depending on the runtime's version.</summary>
/// <param name="Tid">The owner's OS thread id, if the event holds that one; 0 for no owner.</param>
/// <param name="Id">The owner's managed thread id, if the event holds that one.</param>
internal readonly record struct LockOwner(int Tid, int Id)
{
    public static LockOwner Unknown => new(-1, -1);
}
