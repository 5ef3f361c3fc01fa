using System.ComponentModel;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.Versioning;

namespace Poolscope.Collect.Processes;

/// <summary>Reads from Windows the data about a process that Linux has in /proc.</summary>
[SupportedOSPlatform("windows")]
internal static class WindowsProcesses
{
    /// <summary>Returns the start time in units of 100 ns. A later process with the same pid has another one.</summary>
    /// <returns>Null if the process is gone, or another user's.</returns>
    public static long? StartTicks(int pid) => Read(pid, process => process.HasExited ? (long?)null : process.StartTime.ToFileTimeUtc());

    /// <summary>Returns the number of CPUs that the process may use.</summary>
    public static int? Processors(int pid) => Read(pid, process => (int?)BitOperations.PopCount((ulong)process.ProcessorAffinity));

    private static T? Read<T>(int pid, Func<Process, T?> read)
    {
        try
        {
            using var process = Process.GetProcessById(pid);
            return read(process);
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException or Win32Exception)
        {
            return default;
        }
    }
}
