namespace Poolscope.Etw.Reading;

/// <summary>A process of a trace.</summary>
/// <param name="Name">File name of its image without its extension.</param>
/// <param name="PoolEvents">Work items that it queued and took; 0: nothing to analyse.</param>
/// <param name="IsFramework">It ran .NET Framework, not .NET.</param>
public sealed record TraceProcessInfo(int Pid, string Name, string CommandLine, long PoolEvents, bool IsFramework)
{
    /// <summary>It is PerfView, which records and is a program of .NET itself.</summary>
    public bool IsRecorder => Name.StartsWith("PerfView", StringComparison.OrdinalIgnoreCase);
}

/// <summary>Which process of a trace is meant.</summary>
public static class ProcessChoice
{
    /// <summary>The process asked for, or else the one with the most pool events; the recorder itself only if no other has any.</summary>
    /// <param name="pid">Null: not asked for.</param>
    /// <param name="name">Null: not asked for. With or without .exe, in any case.</param>
    /// <param name="refusal">Why there is none; for a person, one line.</param>
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
