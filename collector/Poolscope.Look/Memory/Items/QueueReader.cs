using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;
using Poolscope.Look.Memory.Threads;

namespace Poolscope.Look.Memory.Items;

/// <summary>Counts and names the items in the pool's queues. Each walk is bounded.</summary>
internal sealed class QueueReader(ClrRuntime runtime, LookLimits limits, Func<bool> expired)
{
    private const int MostSegments = 100_000;
    private const int MostQueues = 4096;
    private const string Stealing = "System.Threading.ThreadPoolWorkQueue+WorkStealingQueueList";

    private readonly Dictionary<(string, string), int> _methods = [];
    private readonly Dictionary<string, (int Length, long Taken)> _queues = [];
    private bool _complete = true;
    private int _named;

    /// <param name="pool">The pool's limits and threads. A pool without threads may have no queue yet.</param>
    public QueuesLine Read(PoolLine pool)
    {
        var held = Static("System.Threading.ThreadPool", "s_workQueue");
        if (held is { IsNull: true } && pool is { Minimum: > 0, Active: 0, Idle: 0, Completed: null or 0 })
        {
            Add("global", 0, 0); // the program has not used its pool, whose class has not made the queue
        }
        else if (held is { IsNull: false } queue)
        {
            Concurrent("global", Field(queue, "workItems"));
            Concurrent("high priority", Field(queue, "highPriorityWorkItems"));
            Concurrent("low priority", Field(queue, "lowPriorityWorkItems"));
            foreach (var assignable in Elements(Field(queue, "_assignableWorkItemQueues") ?? Field(queue, "assignableWorkItemQueues")))
            {
                Concurrent("assignable", assignable);
            }

            foreach (var local in Elements(Static(Stealing, "s_queues") ?? Static(Stealing, "_queues")))
            {
                Local(local);
            }
        }
        else
        {
            _complete = false;
        }

        return new QueuesLine(
            [.. _queues.Select(queue => new QueueLine(queue.Key, queue.Value.Length, queue.Value.Taken))],
            [.. _methods.Select(pair => new QueuedItems(pair.Key.Item1, pair.Key.Item2, pair.Value)).OrderByDescending(found => found.Count).ThenBy(found => found.Method, StringComparer.Ordinal)],
            _complete);
    }

    /// <summary>Returns whether the program has not used its pool: the pool's class is not loaded or has no queue, and
    /// no thread belongs to the pool.</summary>
    public static bool IsUntouched(ClrRuntime runtime) =>
        (runtime.BaseClassLibrary.GetTypeByName("System.Threading.ThreadPool")?.GetStaticFieldByName("s_workQueue") is not { } held
            || runtime.AppDomains is not [var domain, ..] || held.ReadObject(domain).IsNull)
        && !runtime.Threads.Any(ThreadReader.IsPool);

    private void Add(string queue, int length, long taken)
    {
        var before = _queues.GetValueOrDefault(queue);
        _queues[queue] = (before.Length + length, before.Taken + taken);
    }

    private void Concurrent(string called, ClrObject? queue)
    {
        if (queue is not { IsValid: true, IsNull: false } found)
        {
            return;
        }

        var segment = Field(found, "_head");
        var seen = new HashSet<ulong>();
        var count = 0;
        var taken = 0L;
        for (var step = 0; segment is { IsNull: false, IsValid: true } at; step++)
        {
            // A list that returns to itself is damaged, or changed during the walk. Each of its segments counts once.
            if (step == MostSegments || !seen.Add(at.Address))
            {
                _complete = false;
                break;
            }

            var slots = Field(at, "_slots");
            if (slots is not { IsArray: true } array)
            {
                _complete = false;
                break;
            }

            count += Segment(at, array.AsArray(), out var head);
            taken = step == 0 ? head : taken;
            segment = Field(at, "_nextSegment");
        }

        Add(called, count, taken);
    }

    /// <summary>Counts and names the items between head and tail. Slots before the head may still hold taken
    /// items.</summary>
    private int Segment(ClrObject segment, ClrArray slots, out int head)
    {
        head = 0;
        var indexes = segment.Type?.GetFieldByName("_headAndTail") is { } field ? segment.ReadValueTypeField(field) : default;
        if (!indexes.IsValid || indexes.Type?.GetFieldByName("Head") is null || indexes.Type.GetFieldByName("Tail") is null || slots.Length <= 0)
        {
            _complete = false;
            return 0;
        }

        head = indexes.ReadField<int>("Head");
        var tail = indexes.ReadField<int>("Tail");

        // The tail of a closed segment is this far ahead.
        var frozen = segment.TryReadField("_frozenForEnqueues", out bool closed) && closed;
        var length = unchecked(tail - head) - (frozen ? slots.Length * 2 : 0);
        length = Math.Clamp(length, 0, slots.Length);
        for (var i = 0; i < length && _named < limits.Items && !expired(); i++)
        {
            var slot = slots.GetStructValue(unchecked(head + i) & (slots.Length - 1));
            if (slot.IsValid && slot.ReadObjectField("Item") is { IsValid: true, IsNull: false } item)
            {
                Name(item);
            }
        }

        return length;
    }

    private void Local(ClrObject queue)
    {
        if (!queue.TryReadField("m_headIndex", out int head) || !queue.TryReadField("m_tailIndex", out int tail)
            || Field(queue, "m_array") is not { IsArray: true } array)
        {
            _complete = false;
            return;
        }

        var slots = array.AsArray();
        var length = Math.Clamp(unchecked(tail - head), 0, slots.Length);
        Add("local", length, head);
        for (var i = 0; i < length && _named < limits.Items && !expired(); i++)
        {
            var item = slots.GetObjectValue(unchecked(head + i) & (slots.Length - 1));
            if (item is { IsValid: true, IsNull: false })
            {
                Name(item);
            }
        }
    }

    private void Name(ClrObject item)
    {
        var key = ItemNames.Of(item);
        _methods[key] = _methods.GetValueOrDefault(key) + 1;
        _named++;
    }

    private ClrObject? Static(string type, string field)
    {
        var found = runtime.BaseClassLibrary.GetTypeByName(type)?.GetStaticFieldByName(field);
        return found is null || runtime.AppDomains.Length == 0 ? null : found.ReadObject(runtime.AppDomains[0]);
    }

    private static ClrObject? Field(ClrObject holder, string name) => holder.TryReadObjectField(name, out var found) ? found : null;

    private static IEnumerable<ClrObject> Elements(ClrObject? array)
    {
        if (array is not { IsValid: true, IsNull: false, IsArray: true } found)
        {
            yield break;
        }

        var elements = found.AsArray();
        for (var i = 0; i < Math.Min(elements.Length, MostQueues); i++)
        {
            if (elements.GetObjectValue(i) is { IsValid: true, IsNull: false } element)
            {
                yield return element;
            }
        }
    }
}
