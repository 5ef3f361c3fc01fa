using System.Collections.Concurrent;
using System.Diagnostics;

namespace Zoo.Running;

/// <summary>The items' own clock: when each was queued, started and ended, as the program itself sees it. Only with
/// <c>--clock</c>. It takes three time stamps an item, and touches neither the pool nor a lock.</summary>
internal static class ItemClock
{
    private static readonly ConcurrentQueue<Item> Items = [];
    private static bool _enabled;

    /// <summary>Gets a value indicating whether every queued item has ended.</summary>
    public static bool IsDone => Items.All(i => Volatile.Read(ref i.Ended) > 0);

    /// <summary>Starts recording items.</summary>
    public static void Enable() => _enabled = true;

    /// <summary>Returns a callback for an item that is queued now.</summary>
    public static WaitCallback Timed(Action act)
    {
        var item = Add();
        return _ =>
        {
            item.Begin();
            act();
            item.End();
        };
    }

    /// <summary>Returns a callback for an item that is queued now and ends when its task does.</summary>
    public static WaitCallback Timed(Func<Task> act)
    {
        var item = Add();
        return _ =>
        {
            item.Begin();
            _ = EndAsync(act(), item);
        };
    }

    /// <summary>Writes the items' durations as a line of JSON to standard error.</summary>
    public static void Print()
    {
        if (!_enabled)
        {
            return;
        }

        var items = Items.ToArray();
        var ended = items.Where(i => i.Ended > 0).Select(i => Stopwatch.GetElapsedTime(i.Queued, i.Ended).TotalMilliseconds);
        var waited = items.Where(i => i.Started > 0).Select(i => Stopwatch.GetElapsedTime(i.Queued, i.Started).TotalMilliseconds);
        Console.Error.WriteLine(Durations.Json("items", [.. ended.Order()], items.Length));
        Console.Error.WriteLine(Durations.Json("items-start", [.. waited.Order()], items.Length));
    }

    private static Item Add()
    {
        var item = new Item { Queued = Stopwatch.GetTimestamp() };
        if (_enabled)
        {
            Items.Enqueue(item);
        }

        return item;
    }

    private static async Task EndAsync(Task act, Item item)
    {
        await act;
        item.End();
    }

    private sealed class Item
    {
        public long Queued;
        public long Started;
        public long Ended;

        public void Begin() => Volatile.Write(ref Started, Stopwatch.GetTimestamp());

        public void End() => Volatile.Write(ref Ended, Stopwatch.GetTimestamp());
    }
}
