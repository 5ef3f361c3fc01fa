using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>Turns an errno of the perf interface into an error that says what was refused and what would
/// allow it.</summary>
internal static class Refusal
{
    internal static SchedulerRefusedException Of(string what, int errno) => Of(what, errno, How(errno));

    /// <param name="how">What would allow it.</param>
    internal static SchedulerRefusedException Of(string what, int errno, string how) =>
        new(
            $"{what}: {Libc.Errno.Describe(errno)}, as user {Libc.EffectiveUserId()} with kernel.perf_event_paranoid = {Paranoid()}",
            how);

    private static string How(int errno) => errno switch
    {
        Libc.Errno.Eacces or Libc.Errno.Eperm =>
            "Run as root; or grant the command CAP_PERFMON and make tracefs readable "
            + $"(mount -o remount,gid=GROUP,mode=750 {Tracefs.MountPoint}); or sysctl kernel.perf_event_paranoid=-1 with the same tracefs access. "
            + "In a container: --cap-add PERFMON and a seccomp profile that allows perf_event_open. "
            + "Without CAP_IPC_LOCK the rings must also fit kernel.perf_event_mlock_kb per CPU",
        Libc.Errno.Emfile => "Raise the limit of open files (ulimit -n): 7 descriptors per CPU are needed",
        Libc.Errno.Enosys => "Use a kernel with CONFIG_PERF_EVENTS, on x64 or arm64, and a sandbox that lets perf_event_open through",
        22 => "Use Linux 6.0 or later: the request uses PERF_FORMAT_LOST",
        _ => "See man perf_event_open, section ERRORS",
    };

    private static string Paranoid()
    {
        try
        {
            return File.ReadAllText("/proc/sys/kernel/perf_event_paranoid").Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "unknown (the kernel may lack CONFIG_PERF_EVENTS)";
        }
    }
}
