using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look;

/// <summary>Counts and names the items of the pool's queues, each walk bounded.</summary>
internal sealed class QueueReader(ClrRuntime runtime, LookLimits limits, Func<bool> expired)
{
    private const int MostSegments = 100_000;

    private readonly Dictionary<(string, string), int> _methods = [];
    private readonly Dictionary<string, int> _lengths = [];
    private int _named;

    /// <summary>Whether every walk came to its end.</summary>
    public bool Complete { get; private set; } = true;

    public IReadOnlyList<QueuedMethod> Methods =>
        [.. _methods.Select(pair => new QueuedMethod(pair.Key.Item1, pair.Key.Item2, pair.Value)).OrderByDescending(found => found.Count).ThenBy(found => found.Method, StringComparer.Ordinal)];

    public int Named => _named;

    /// <returns>Items by queue; a queue that this runtime does not have is absent.</returns>
    public IReadOnlyDictionary<string, int> Read(bool name)
    {
        _lengths.Clear();
        if (Static("System.Threading.ThreadPool", "s_workQueue") is not { IsNull: false } queue)
        {
            Complete = false;
            return _lengths;
        }

        Concurrent("global", Field(queue, "workItems"), name);
        Concurrent("high priority", Field(queue, "highPriorityWorkItems"), name);
        Concurrent("low priority", Field(queue, "lowPriorityWorkItems"), name);
        foreach (var assignable in Elements(Field(queue, "_assignableWorkItemQueues") ?? Field(queue, "assignableWorkItemQueues")))
        {
            Concurrent("assignable", assignable, name);
        }

        foreach (var local in Elements(Static("System.Threading.ThreadPoolWorkQueue+WorkStealingQueueList", "s_queues") ?? Static("System.Threading.ThreadPoolWorkQueue+WorkStealingQueueList", "_queues")))
        {
            Local(local, name);
        }

        return _lengths;
    }

    private void Concurrent(string called, ClrObject? queue, bool name)
    {
        if (queue is not { IsValid: true, IsNull: false } found)
        {
            return;
        }

        var segment = Field(found, "_head");
        var count = 0;
        for (var step = 0; segment is { IsNull: false, IsValid: true } at; step++)
        {
            if (step == MostSegments || expired())
            {
                Complete = false;
                break;
            }

            var slots = Field(at, "_slots");
            if (slots is not { IsArray: true } array)
            {
                Complete = false;
                break;
            }

            count += Segment(at, array.AsArray(), name);
            segment = Field(at, "_nextSegment");
        }

        _lengths[called] = _lengths.GetValueOrDefault(called) + count;
    }

    /// <summary>Items lie between the head and the tail: slots before the head may still hold what was taken.</summary>
    private int Segment(ClrObject segment, ClrArray slots, bool name)
    {
        var indexes = segment.Type?.GetFieldByName("_headAndTail") is { } field ? segment.ReadValueTypeField(field) : default;
        if (!indexes.IsValid || indexes.Type?.GetFieldByName("Head") is null || indexes.Type.GetFieldByName("Tail") is null || slots.Length <= 0)
        {
            Complete = false;
            return 0;
        }

        var head = indexes.ReadField<int>("Head");
        var tail = indexes.ReadField<int>("Tail");

        // A segment that is closed has a tail that lies this far ahead.
        var frozen = segment.TryReadField("_frozenForEnqueues", out bool closed) && closed;
        var length = unchecked(tail - head) - (frozen ? slots.Length * 2 : 0);
        length = Math.Clamp(length, 0, slots.Length);
        for (var i = 0; name && i < length && _named < limits.Items && !expired(); i++)
        {
            var slot = slots.GetStructValue(unchecked(head + i) & (slots.Length - 1));
            if (slot.IsValid && slot.ReadObjectField("Item") is { IsValid: true, IsNull: false } item)
            {
                Name(item);
            }
        }

        return length;
    }

    private void Local(ClrObject queue, bool name)
    {
        if (!queue.TryReadField("m_headIndex", out int head) || !queue.TryReadField("m_tailIndex", out int tail)
            || Field(queue, "m_array") is not { IsArray: true } array)
        {
            Complete = false;
            return;
        }

        var slots = array.AsArray();
        var length = Math.Clamp(unchecked(tail - head), 0, slots.Length);
        _lengths["local"] = _lengths.GetValueOrDefault("local") + length;
        for (var i = 0; name && i < length && _named < limits.Items && !expired(); i++)
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
        for (var i = 0; i < Math.Min(elements.Length, 4096); i++)
        {
            if (elements.GetObjectValue(i) is { IsValid: true, IsNull: false } element)
            {
                yield return element;
            }
        }
    }
}
