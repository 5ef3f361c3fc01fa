namespace Poolscope.Decode.Nettrace;

/// <summary>An event in its block.</summary>
/// <param name="Offset">Of its payload, from the start of the block's events.</param>
/// <param name="ActivityOffset">Of the activity's id, counted in the same way; -1: none.</param>
/// <param name="RelatedOffset">Of the id of the activity that this one began in; -1: none.</param>
internal readonly record struct MergedEvent(
    NettraceBlock Block, long Ticks, long ThreadId, int MetadataId, int Offset, int Length, int ActivityOffset, int RelatedOffset)
{
    private const int GuidBytes = 16;

    public ReadOnlySpan<byte> Payload => Block.Events.Slice(Offset, Length);

    /// <summary>Empty: the thread was in no activity.</summary>
    public Guid Activity => At(ActivityOffset);

    /// <summary>The activity that this one began in; empty: none.</summary>
    public Guid Related => At(RelatedOffset);

    private Guid At(int offset) => offset < 0 ? Guid.Empty : new Guid(Block.Events.Slice(offset, GuidBytes));
}

/// <summary>Brings the events of several threads into order of time. Each thread's are in order, and those that the file
/// calls sorted are in order among each other: nothing that follows one of them is older, so that what is older can be given
/// out. Memory: the events between two sorted ones, about forty bytes each, and their blocks.</summary>
internal sealed class EventMerge(Action<MergedEvent> deliver)
{
    private readonly Dictionary<long, Thread> _threads = [];

    // Threads that have events, by their first one; of equal times the thread that was seen first goes first.
    private readonly PriorityQueue<Thread, (long Ticks, int Order)> _heads = new();

    /// <summary>Takes a block of events that <see cref="EventOrder"/> found in order, and gives out what can be.</summary>
    public void Add(NettraceBlock block)
    {
        for (var cursor = new EventCursor(block.Events); cursor.Next();)
        {
            var thread = Of(cursor.CaptureThreadId);
            var next = new MergedEvent(
                block, cursor.Ticks, cursor.ThreadId, cursor.MetadataId, cursor.PayloadOffset, cursor.PayloadLength, cursor.ActivityOffset, cursor.RelatedOffset);
            if (cursor.IsSorted)
            {
                GiveOut(cursor.Ticks);
                deliver(next);
            }
            else
            {
                Keep(thread, next);
            }
        }
    }

    /// <summary>Takes a sequence point: all that is older has been seen.</summary>
    public void Reached(long ticks) => GiveOut(ticks);

    /// <summary>Gives out what is left, at the end of a whole file.</summary>
    public void Finish() => GiveOut(long.MaxValue);

    private Thread Of(long id)
    {
        if (!_threads.TryGetValue(id, out var thread))
        {
            _threads.Add(id, thread = new Thread(_threads.Count));
        }

        return thread;
    }

    private void Keep(Thread thread, in MergedEvent next)
    {
        next.Block.Hold();
        thread.Events.Enqueue(next);
        if (thread.Events.Count == 1)
        {
            _heads.Enqueue(thread, (next.Ticks, thread.Order));
        }
    }

    /// <summary>Gives out all that is older than <paramref name="before"/>.</summary>
    private void GiveOut(long before)
    {
        while (_heads.TryPeek(out var thread, out var first) && first.Ticks < before)
        {
            var next = thread.Events.Dequeue();
            if (thread.Events.TryPeek(out var following))
            {
                _heads.DequeueEnqueue(thread, (following.Ticks, thread.Order));
            }
            else
            {
                _heads.Dequeue();
            }

            deliver(next);
            next.Block.Release();
        }
    }

    private sealed class Thread(int order)
    {
        public int Order => order;

        public Queue<MergedEvent> Events { get; } = new();
    }
}
