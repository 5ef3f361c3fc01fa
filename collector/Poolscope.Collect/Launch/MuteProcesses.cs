using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>Looks, while a command is waited for, for .NET processes in it that will never call: those with diagnostics turned
/// off.</summary>
internal static class MuteProcesses
{
    private static readonly TimeSpan FirstLook = TimeSpan.FromMilliseconds(50);

    /// <summary>Longest time from one look to the next.</summary>
    private static readonly TimeSpan Look = TimeSpan.FromSeconds(0.5);

    /// <summary>Returns the first that is seen, or waits until it is called off.</summary>
    /// <param name="ancestor">Pid of the command.</param>
    /// <returns>Its pid, and the variable that turned diagnostics off; null: called off before one was seen.</returns>
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

    /// <summary>A process and its descendants.</summary>
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
