using System.Runtime.InteropServices;

namespace Poolscope.Look.Running;

/// <summary>The Linux scheduling class whose threads run only on a core that nothing else wants; see
/// sched(7).</summary>
internal static class IdleClass
{
    private const int Policy = 5; // SCHED_IDLE

    /// <summary>Moves a process that has just started into the class, with the threads that it starts later.</summary>
    /// <returns>Whether the process was moved.</returns>
    public static bool Join(int pid)
    {
        var priority = 0;
        return OperatingSystem.IsLinux() && SetScheduler(pid, Policy, ref priority) == 0;
    }

    [DllImport("libc", EntryPoint = "sched_setscheduler")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SetScheduler(int pid, int policy, ref int priority);
}
