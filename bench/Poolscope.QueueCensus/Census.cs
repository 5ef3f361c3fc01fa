using System.Reflection;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Poolscope.QueueCensus;

/// <summary>Counts a program's queued items by method, from inside the program. It reads the list that the runtime
/// keeps for debuggers, on a thread of its own, which needs no pool.</summary>
internal static partial class Census
{
    private const BindingFlags Any = BindingFlags.Static | BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;
    private static readonly TimeSpan Beat = TimeSpan.FromMilliseconds(250);

    /// <summary>Writes a line of JSON every 250 ms: milliseconds of the monotonic clock, the pool's own count, and the
    /// counts by method.</summary>
    public static void Run(string file)
    {
        var list = typeof(ThreadPool).GetMethod("GetQueuedWorkItems", Any) ?? throw new MissingMethodException("ThreadPool.GetQueuedWorkItems");
        using var writer = new StreamWriter(file) { AutoFlush = true };
        while (true)
        {
            var items = new Dictionary<string, int>();
            foreach (var item in (IEnumerable<object>)list.Invoke(null, null)!)
            {
                var name = Name(item);
                items[name] = items.GetValueOrDefault(name) + 1;
            }

            writer.WriteLine(JsonSerializer.Serialize(new { at_ms = Environment.TickCount64, pending = ThreadPool.PendingWorkItemCount, items }));
            Thread.Sleep(Beat);
        }
    }

    /// <summary>Names an item by its delegate, its state machine, or otherwise its type, like `look`.</summary>
    private static string Name(object item)
    {
        var type = item.GetType();
        if (type.FullName!.Contains("AsyncStateMachineBox", StringComparison.Ordinal) && type.GetGenericArguments() is [.., var machine])
        {
            return Plain(Look.Lines.WrittenName.Of($"{Plain(machine.FullName!)}.MoveNext"));
        }

        foreach (var field in (string[])["_callback", "m_action", "_timerCallback"])
        {
            if (Value(item, field) is Delegate called)
            {
                return Plain(Look.Lines.WrittenName.Of($"{Plain(called.Method.DeclaringType?.FullName ?? "")}.{called.Method.Name}"));
            }
        }

        return $"{Plain(type.FullName)}.Execute";
    }

    private static object? Value(object item, string field)
    {
        for (var type = item.GetType(); type is not null; type = type.BaseType)
        {
            if (type.GetField(field, Any) is { } found)
            {
                return found.GetValue(item);
            }
        }

        return null;
    }

    /// <summary>Removes type arguments: Box`1+Nested[[System.Int32, ...]] becomes Box+Nested.</summary>
    private static string Plain(string name) => Arity().Replace(name.Split("[[")[0], "");

    [GeneratedRegex(@"`\d+")]
    private static partial Regex Arity();
}
