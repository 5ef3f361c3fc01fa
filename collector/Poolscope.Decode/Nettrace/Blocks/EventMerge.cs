namespace Poolscope.Decode.Nettrace.Blocks;

/// <summary>Receives one or more events of a block in order of time.</summary>
internal delegate void EntriesHandler(NettraceBlock block, ReadOnlySpan<EventEntry> entries);

/// <summary>Merges the events of several threads in order of time. Each thread's events are in order. The events that
/// the file marks as sorted are in order among each other: no later event is older than a sorted one, so older events
/// can be delivered. Memory: the blocks that hold events between two sorted ones.</summary>
internal sealed class EventMerge(EntriesHandler deliver)
{
    private readonly Dictionary<long, Thread> _threads = [];

    // Threads with pending events, by their first event; at equal times, the thread seen first comes first.
    private readonly PriorityQueue<Thread, (long Ticks, int Order)> _heads = new();

    /// <summary>Takes a block of events that <see cref="EventOrder"/> found in order, and delivers what it
    /// can.</summary>
    public void Add(NettraceBlock block)
    {
        foreach (ref readonly var run in block.Index.Runs)
        {
            var thread = Of(run.Thread);
            var first = run.First;
            if (run.IsSorted)
            {
                GiveOut(run.FirstTicks);
                deliver(block, block.Index.Entries.Slice(first++, 1));
            }

            if (first < run.End)
            {
                Keep(thread, new Part(block, first, run.End));
            }
        }
    }

    /// <summary>Takes a sequence point: all older events have been seen.</summary>
    public void Reached(long ticks) => GiveOut(ticks);

    /// <summary>Delivers the remaining events, at the end of a complete file.</summary>
    public void Finish() => GiveOut(long.MaxValue);

    private Thread Of(long id)
    {
        if (!_threads.TryGetValue(id, out var thread))
        {
            _threads.Add(id, thread = new Thread(_threads.Count));
        }

        return thread;
    }

    private void Keep(Thread thread, Part part)
    {
        part.Block.Hold();
        thread.Parts.Enqueue(part);
        if (thread.Parts.Count == 1)
        {
            thread.At = part.First;
            _heads.Enqueue(thread, thread.Key);
        }
    }

    /// <summary>Delivers all events older than <paramref name="before"/>: from the thread with the oldest event, until
    /// another thread has an older event.</summary>
    private void GiveOut(long before)
    {
        if (!_heads.TryPeek(out _, out var oldest) || oldest.Ticks >= before)
        {
            return;
        }

        var thread = _heads.Dequeue();
        while (true)
        {
            var others = _heads.TryPeek(out _, out var next) ? next : (Ticks: long.MaxValue, Order: int.MaxValue);
            GiveOut(thread, before, others);
            if (thread.Parts.Count > 0)
            {
                thread = _heads.EnqueueDequeue(thread, thread.Key);
            }
            else if (!_heads.TryDequeue(out thread!, out _))
            {
                return;
            }

            if (thread.Key.Ticks >= before)
            {
                _heads.Enqueue(thread, thread.Key);
                return;
            }
        }
    }

    private void GiveOut(Thread thread, long before, (long Ticks, int Order) others)
    {
        // At equal times, the event of the thread that was seen first comes first.
        var end = Math.Min(before, thread.Order < others.Order && others.Ticks < long.MaxValue ? others.Ticks + 1 : others.Ticks);
        while (thread.Parts.TryPeek(out var part))
        {
            var entries = part.Block.Index.Entries[..part.End];
            var first = thread.At;
            var at = first;
            while (at < entries.Length && entries[at].Ticks < end)
            {
                at++;
            }

            if (at > first)
            {
                deliver(part.Block, entries[first..at]);
            }

            thread.At = at;
            if (at < entries.Length)
            {
                return;
            }

            thread.Parts.Dequeue();
            part.Block.Release();
            thread.At = thread.Parts.TryPeek(out var following) ? following.First : 0;
        }
    }

    /// <summary>Events of one thread in a block, up to <paramref name="End"/>.</summary>
    private readonly record struct Part(NettraceBlock Block, int First, int End);

    private sealed class Thread(int order)
    {
        public int Order => order;

        public Queue<Part> Parts { get; } = new();

        /// <summary>The index of the first event in the first part.</summary>
        public int At { get; set; }

        public (long Ticks, int Order) Key => (Parts.Peek().Block.Index.Entries[At].Ticks, order);
    }
}
