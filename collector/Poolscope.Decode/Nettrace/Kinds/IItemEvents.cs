namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>The work item event, if any, that a kind of event represents.</summary>
internal enum ItemEvent : byte
{
    None,
    Enqueue,
    Dequeue,
}

/// <summary>Receives enqueues and dequeues of the runtime's pool undecoded: nearly all events of a busy pool.</summary>
internal interface IItemEvents
{
    /// <summary>False if these events must be decoded like all others.</summary>
    bool TakesItems { get; }

    void Enqueue(long time, int tid, long workId);

    void Dequeue(long time, int tid, long workId);
}
