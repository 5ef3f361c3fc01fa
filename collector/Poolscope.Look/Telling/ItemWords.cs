namespace Poolscope.Look.Telling;

/// <summary>Shortens names for people.</summary>
public static class ItemWords
{
    /// <summary>Returns a plural name for many queued items of one kind.</summary>
    public static string Many(string method) =>
        method.Contains("Kestrel", StringComparison.Ordinal) && method.EndsWith("Connection.Execute", StringComparison.Ordinal) | method.Contains("KestrelConnection<", StringComparison.Ordinal) ? "Kestrel connections"
        : method.Contains("Sockets.SocketAsyncEngine", StringComparison.Ordinal) ? "socket events"
        : Short(method);

    /// <summary>Shortens a method to its type and name: System.Threading.Tasks.Task.Wait becomes Task.Wait.</summary>
    public static string Short(string method)
    {
        var plain = Plain(method);
        var suffix = plain.IndexOf(" (", StringComparison.Ordinal) is var bracket and > 0 ? plain[bracket..] : "";
        var parts = plain[..^suffix.Length].Split('.');
        var name = parts[^1].StartsWith("get_", StringComparison.Ordinal) ? parts[^1][4..] : parts[^1];
        return (parts.Length > 1 ? $"{parts[^2]}.{name}" : name) + suffix;
    }

    /// <summary>Removes type arguments: they are long and say little.</summary>
    private static string Plain(string method)
    {
        var depth = 0;
        return string.Concat(method.Where(letter =>
        {
            depth += letter == '<' ? 1 : 0;
            var kept = depth == 0;
            depth -= letter == '>' && depth > 0 ? 1 : 0;
            return kept;
        }));
    }
}
