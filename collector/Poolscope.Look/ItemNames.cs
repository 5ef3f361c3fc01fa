using Microsoft.Diagnostics.Runtime;

namespace Poolscope.Look;

/// <summary>Names what a queued object will run.</summary>
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

    /// <summary>Program+&lt;LoadAsync&gt;d__1 out of a box's type arguments becomes Program.LoadAsync.</summary>
    internal static string StateMachine(string box)
    {
        var end = box.LastIndexOf(">d__", StringComparison.Ordinal);
        var start = end < 0 ? -1 : box.LastIndexOf("+<", end, StringComparison.Ordinal);
        if (start < 0)
        {
            return box;
        }

        var from = Math.Max(box.LastIndexOf(',', start), Math.Max(box.LastIndexOf('<', start), box.LastIndexOf('[', start))) + 1;
        return $"{box[from..start].Trim()}.{box[(start + 2)..end]}";
    }

    private static string? Delegate(ClrObject holder, string field)
    {
        if (!holder.TryReadObjectField(field, out var action) || !action.IsValid || !action.IsDelegate)
        {
            return null;
        }

        var method = action.AsDelegate().GetDelegateTarget()?.Method;
        return method is null ? null : $"{method.Type?.Name}.{method.Name}";
    }
}
