namespace Poolscope.Etw.Reading;

/// <summary>A process in a trace.</summary>
/// <param name="Name">File name of the process's image without its extension.</param>
/// <param name="PoolEvents">Work items that the process queued and took; 0 if there is nothing to analyse.</param>
/// <param name="IsFramework">Whether the process ran .NET Framework, not .NET.</param>
public sealed record TraceProcessInfo(int Pid, string Name, string CommandLine, long PoolEvents, bool IsFramework)
{
    /// <summary>Whether the process is PerfView, which records and is itself a .NET program.</summary>
    public bool IsRecorder => Name.StartsWith("PerfView", StringComparison.OrdinalIgnoreCase);
}

/// <summary>Chooses a process of a trace.</summary>
public static class ProcessChoice
{
    /// <summary>Returns the requested process, or else the one with the most pool events. The recorder itself is chosen
    /// only if no other process has any.</summary>
    /// <param name="pid">Requested process id; null if none.</param>
    /// <param name="name">Requested name; null if none. With or without .exe, in any case.</param>
    /// <param name="refusal">Why no process was chosen, one line for a person; else empty.</param>
    public static TraceProcessInfo? Choose(
        IReadOnlyList<TraceProcessInfo> processes, int? pid, string? name, out string refusal)
    {
        ArgumentNullException.ThrowIfNull(processes);
        refusal = "";
        var matches = processes
            .Where(p => pid is null || p.Pid == pid)
            .Where(p => name is null || string.Equals(p.Name, WithoutExtension(name), StringComparison.OrdinalIgnoreCase))
            .OrderByDescending(p => p.PoolEvents > 0 && !p.IsRecorder)
            .ThenByDescending(p => p.PoolEvents)
            .ToList();
        if (matches.FirstOrDefault() is { PoolEvents: > 0 } found)
        {
            return found;
        }

        var wanted = pid is null && name is null ? "no process" : matches.Count == 0
            ? $"no process {pid?.ToString() ?? name}"
            : $"process {matches[0].Pid} ({matches[0].Name}) has no work items";
        var others = processes.Where(p => p.PoolEvents > 0).OrderByDescending(p => p.PoolEvents).Select(p => $"{p.Pid} ({p.Name})").ToList();
        refusal = (matches.Count > 0 && (pid ?? (object?)name) is not null ? wanted : $"{wanted} with thread-pool work items")
            + (others.Count > 0
                ? $" in the trace; it has: {string.Join(", ", others)}"
                : " in the trace: FrameworkEventSource was not recorded, or nothing was queued to the pool; record again with the line that this prints: poolscope recipe perfview");
        return null;
    }

    private static string WithoutExtension(string name) =>
        name.EndsWith(".exe", StringComparison.OrdinalIgnoreCase) ? name[..^4] : name;
}
