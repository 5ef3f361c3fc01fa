using System.ComponentModel;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.Versioning;

namespace Poolscope.Collect.Processes;

/// <summary>What Windows tells of a process, where Linux has /proc.</summary>
[SupportedOSPlatform("windows")]
internal static class WindowsProcesses
{
    /// <summary>Its start time, 100 ns: a later process with the same pid has another one.</summary>
    /// <returns>Null: it is gone, or another user's.</returns>
    public static long? StartTicks(int pid) => Read(pid, process => process.HasExited ? (long?)null : process.StartTime.ToFileTimeUtc());

    /// <summary>CPUs that it may use.</summary>
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
