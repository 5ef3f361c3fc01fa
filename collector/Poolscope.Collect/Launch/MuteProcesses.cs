using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>Finds .NET processes, in a command that the collector waits for, that will never call: their diagnostics
/// are turned off.</summary>
internal static class MuteProcesses
{
    private static readonly TimeSpan FirstLook = TimeSpan.FromMilliseconds(50);

    /// <summary>The longest time from one search to the next.</summary>
    private static readonly TimeSpan Look = TimeSpan.FromSeconds(0.5);

    /// <summary>Returns the first such process, or waits until it is cancelled.</summary>
    /// <param name="ancestor">The pid of the command.</param>
    /// <returns>The pid, and the variable that turned diagnostics off, or null if cancelled before one was
    /// seen.</returns>
    public static async Task<(int Pid, string Variable)?> FindAsync(ProcFs proc, int ancestor, CancellationToken cancel)
    {
        try
        {
            for (var wait = FirstLook; ; wait = wait * 2 < Look ? wait * 2 : Look)
            {
                await Task.Delay(wait, cancel).ConfigureAwait(false);
                foreach (var pid in Family(proc, ancestor))
                {
                    if (DiagnosticsSwitch.TurnedOffBy(proc.EnvironmentOf(pid)) is { } variable && proc.MappedRuntime(pid) is not null)
                    {
                        return (pid, variable);
                    }
                }
            }
        }
        catch (OperationCanceledException)
        {
            return null;
        }
    }

    /// <summary>Returns a process and its descendants.</summary>
    internal static IReadOnlyList<int> Family(ProcFs proc, int ancestor)
    {
        var children = proc.Pids().ToLookup(pid => proc.ParentOf(pid) ?? 0);
        var family = new List<int> { ancestor };
        for (var i = 0; i < family.Count; i++)
        {
            family.AddRange(children[family[i]]);
        }

        return family;
    }
}
