namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>Which of the two events of a work item a kind of event is.</summary>
internal enum ItemEvent : byte
{
    None,
    Enqueue,
    Dequeue,
}

/// <summary>Takes enqueues and dequeues of the runtime's pool by the shortest way: of a busy pool's events they are nearly all.</summary>
internal interface IItemEvents
{
    /// <summary>False: these events, too, have to be decoded as all others are.</summary>
    bool TakesItems { get; }

    void Enqueue(long time, int tid, long workId);

    void Dequeue(long time, int tid, long workId);
}
