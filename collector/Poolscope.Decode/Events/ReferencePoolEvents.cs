using System.Text;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>Receives the events of a reference pool, which replaces the runtime's own.</summary>
internal interface IReferencePoolEvents
{
    /// <summary>A reference pool replaces the runtime's own, to which all earlier events belong.</summary>
    /// <param name="name">The pool's name; null if the pool has written an event, but not its name yet.</param>
    void ReferencePool(string? name);

    /// <summary>An item entered a queue of the runtime's own pool beside a reference pool.</summary>
    void OtherPoolItem(int tid);
}

/// <summary>Decodes a reference pool's name (zero-terminated UTF-16), an event that the runtime's pool lacks.</summary>
internal static class ReferencePoolEvents
{
    public static bool Decode(in RawEvent e, IReferencePoolEvents sink)
    {
        if (e.Id != 1 || !e.Has(2))
        {
            return false;
        }

        sink.ReferencePool(Encoding.Unicode.GetString(e.Payload[..(e.Payload.Length & ~1)]).TrimEnd('\0'));
        return true;
    }
}

/// <summary>Counts items of the runtime's own pool beside a reference pool: the tables hold one pool.</summary>
internal sealed class OtherPoolItems(IReferencePoolEvents sink) : IWorkItemEvents
{
    public void Enqueue(long time, int tid, long workId) => sink.OtherPoolItem(tid);

    public void Dequeue(long time, int tid, long workId)
    {
    }
}
