using System.Runtime.InteropServices;

namespace Poolscope.Decode.Live;

/// <summary>Work items that were enqueued and not dequeued, oldest first. A work id is a hash code: several items may
/// wait under one id, and the oldest of them is dequeued first. Holds at most <see cref="Most"/>.</summary>
internal sealed class WaitingItems
{
    /// <summary>The most items kept, 64 bytes each. Only the oldest item shows how long items wait, so younger ones
    /// beyond this number are dropped.</summary>
    public const int Most = 200_000;

    private readonly Dictionary<long, Item> _byId = [];
    private Item? _oldest;
    private Item? _youngest;
    private Item? _free;

    public int Count { get; private set; }

    /// <summary>Whether items were dropped. True until no item waits.</summary>
    public bool IsPartial { get; private set; }

    /// <summary>When the oldest item was enqueued, ns; null if none waits.</summary>
    public long? Oldest => _oldest?.Time;

    public void Add(long workId, long time)
    {
        if (Count == Most)
        {
            IsPartial = true;
            return;
        }

        var item = _free ?? new Item();
        _free = item.Next;
        (item.WorkId, item.Time, item.Next, item.Before, item.SameId) = (workId, time, null, _youngest, null);
        if (_youngest is null)
        {
            _oldest = item;
        }
        else
        {
            _youngest.Next = item;
        }

        _youngest = item;
        Count++;
        ref var head = ref CollectionsMarshal.GetValueRefOrAddDefault(_byId, workId, out var exists);
        if (!exists)
        {
            head = item;
            return;
        }

        var last = head!;
        while (last.SameId is { } next)
        {
            last = next;
        }

        last.SameId = item;
    }

    /// <summary>Takes the oldest item of a work id.</summary>
    /// <returns>When the item was enqueued, ns; null if no such item is known.</returns>
    public long? Take(long workId)
    {
        if (!_byId.TryGetValue(workId, out var item))
        {
            return null;
        }

        Remove(item);
        return item.Time;
    }

    /// <summary>Forgets up to <paramref name="count"/> of the oldest items enqueued before a moment.</summary>
    public void Forget(int count, long before)
    {
        for (; count > 0 && _oldest is { } oldest && oldest.Time < before; count--)
        {
            // The oldest of all is the oldest of its id.
            Remove(oldest);
        }
    }

    public void Clear()
    {
        _byId.Clear();
        (_oldest, _youngest, _free, Count, IsPartial) = (null, null, null, 0, false);
    }

    /// <param name="item">The oldest item of its id.</param>
    private void Remove(Item item)
    {
        if (item.SameId is { } next)
        {
            _byId[item.WorkId] = next;
        }
        else
        {
            _byId.Remove(item.WorkId);
        }

        if (item.Before is { } before)
        {
            before.Next = item.Next;
        }
        else
        {
            _oldest = item.Next;
        }

        if (item.Next is { } after)
        {
            after.Before = item.Before;
        }
        else
        {
            _youngest = item.Before;
        }

        (item.Next, item.Before, item.SameId) = (_free, null, null);
        _free = item;
        Count--;
        IsPartial &= Count > 0;
    }

    /// <summary>A link of two lists: all items, and the items with one id. Reused after it is removed.</summary>
    private sealed class Item
    {
        public long WorkId;
        public long Time;
        public Item? Next;
        public Item? Before;
        public Item? SameId;
    }
}
