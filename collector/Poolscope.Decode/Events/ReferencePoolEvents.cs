using System.Text;
using Poolscope.Decode.Nettrace;

namespace Poolscope.Decode.Events;

/// <summary>A reference pool takes the place of the runtime's own.</summary>
internal interface IReferencePoolEvents
{
    /// <summary>From here on the pool is a reference pool; what was told of the runtime's own is another pool's.</summary>
    /// <param name="name">Null: it has told something, but not its name.</param>
    void ReferencePool(string? name);

    /// <summary>An item entered a queue of the runtime's own pool beside a reference pool.</summary>
    void OtherPoolItem(int tid);
}

/// <summary>A reference pool's name, the one event that the runtime's pool lacks: a UTF-16 string that ends in a zero.</summary>
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

/// <summary>Counts the items of the runtime's own pool beside a reference pool: the tables hold one pool.</summary>
internal sealed class OtherPoolItems(IReferencePoolEvents sink) : IWorkItemEvents
{
    public void Enqueue(long time, int tid, long workId) => sink.OtherPoolItem(tid);

    public void Dequeue(long time, int tid, long workId)
    {
    }
}
