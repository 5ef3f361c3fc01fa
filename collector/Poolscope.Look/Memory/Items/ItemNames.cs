using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory.Items;

/// <summary>Names the method that a queued object will run.</summary>
internal static class ItemNames
{
    /// <returns>The method, and the kind of item: delegate, task, async, timer or item.</returns>
    public static (string Method, string Kind) Of(ClrObject item)
    {
        var type = item.Type?.Name ?? "?";
        if (type.Contains("AsyncStateMachineBox", StringComparison.Ordinal))
        {
            return (StateMachine(type), "async");
        }

        if (type == "System.Threading.TimerQueueTimer")
        {
            return (Delegate(item, "_timerCallback") ?? type, "timer");
        }

        foreach (var field in (string[])["_callback", "m_action"])
        {
            if (Delegate(item, field) is { } method)
            {
                return (method, field == "m_action" ? "task" : "delegate");
            }
        }

        return ($"{type}.Execute", "item");
    }

    /// <summary>Names the method of a box: Box&lt;Program+&lt;LoadAsync&gt;d__1&gt; becomes
    /// Program.LoadAsync.</summary>
    internal static string StateMachine(string box)
    {
        // The state machine is the last type argument. That of a local function has the enclosing method in its own
        // angle brackets.
        var end = box.LastIndexOf(">d", StringComparison.Ordinal);
        var start = end < 0 ? -1 : box.LastIndexOf("+<", end, StringComparison.Ordinal);
        if (start < 0)
        {
            return box;
        }

        var method = box[(start + 2)..end];
        var local = method.IndexOf(">g__", StringComparison.Ordinal);
        if (local >= 0)
        {
            method = method[(local + 4)..].Split('|')[0];
        }

        return $"{Holder(box, start)}.{method}";
    }

    /// <summary>Returns the last type argument that begins before <paramref name="end"/>, up to there, without its own
    /// arguments.</summary>
    private static string Holder(string box, int end)
    {
        var (from, depth) = (end, 0);
        while (from > 0 && (depth > 0 || box[from - 1] is not (',' or '<' or '[')))
        {
            from--;
            depth += box[from] is '>' or ']' ? 1 : box[from] is '<' or '[' ? -1 : 0;
        }

        var holder = box[from..end].Trim();
        return holder.IndexOf('<', StringComparison.Ordinal) is > 0 and var arguments ? holder[..arguments] + Rest(holder, arguments) : holder;
    }

    /// <summary>Returns the text after the type arguments: +Nested for a type nested in Box&lt;Int32&gt;.</summary>
    private static string Rest(string type, int arguments) => type.LastIndexOf('>') is var end && end > arguments ? type[(end + 1)..] : "";

    private static string? Delegate(ClrObject holder, string field)
    {
        if (!holder.TryReadObjectField(field, out var action) || !action.IsValid || !action.IsDelegate)
        {
            return null;
        }

        var method = action.AsDelegate().GetDelegateTarget()?.Method;
        return method is not null ? WrittenName.Of($"{method.Type?.Name}.{method.Name}")
            : action.TryReadObjectField("_target", out var target) && target is { IsValid: true, IsDelegate: false, Type.Name: { } type } ? Of(type)
            : null;
    }

    /// <summary>Names a method by the type of the object that it is called on. .NET 8 counts the first calls of a
    /// method in a stub, and the reader finds no method for a stub.</summary>
    internal static string Of(string type) =>
        type.IndexOf("+<>c", StringComparison.Ordinal) is >= 0 and var closure ? $"{type[..closure]} (lambda)" : $"{type} (a method of it)";
}
