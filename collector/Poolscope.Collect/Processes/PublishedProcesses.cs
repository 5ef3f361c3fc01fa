using System.Diagnostics;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolscope.Collect.Processes;

/// <summary>.NET processes on systems without /proc, by their diagnostic ports. .NET Framework has none, and is not listed.</summary>
internal static class PublishedProcesses
{
    /// <summary>By pid, this one left out. The runtime's version is not asked for.</summary>
    public static IReadOnlyList<DotnetProcess> List() =>
    [
        .. DiagnosticsClient.GetPublishedProcesses()
            .Where(pid => pid != Environment.ProcessId)
            .Order()
            .Select(Describe)
            .OfType<DotnetProcess>(),
    ];

    private static DotnetProcess? Describe(int pid)
    {
        try
        {
            using var process = Process.GetProcessById(pid);
            return new DotnetProcess(pid, process.ProcessName, process.ProcessName, Runtime: null);
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            return null; // it has ended
        }
    }
}
