using System.Runtime.InteropServices;

namespace Poolscope.PerfEvents.Linux;

/// <summary>The functions of the C library that a recording on Linux needs, for this assembly and for the collector.
/// They return -1 on failure; those that set errno leave it in <see cref="Marshal.GetLastPInvokeError"/>.</summary>
/// <remarks>Several are variadic (open, fcntl, ioctl, syscall). On Linux x64 and arm64, integers are passed to those as
/// to any other function.</remarks>
internal static unsafe partial class Libc
{
    internal const int SigInt = 2;
    internal const int SigKill = 9;
    internal const int SigTerm = 15;

    private const int ThreadCpuClock = 3; // CLOCK_THREAD_CPUTIME_ID

    [LibraryImport("libc", EntryPoint = "geteuid")]
    internal static partial uint EffectiveUserId();

    /// <returns>0, or -1 if the process is gone or belongs to another user.</returns>
    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    internal static partial int Kill(int pid, int signal);

    /// <summary>Gives up root permanently. The C library does this in all threads.</summary>
    /// <returns>False if nothing has changed, or only the groups have.</returns>
    internal static bool BecomeUser(int user, int group) =>
        SetGroups(1, &group) == 0 && SetGroup(group, group, group) == 0 && SetUser(user, user, user) == 0;

    /// <param name="tid">0 for the calling thread.</param>
    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    internal static partial int SetAffinity(int tid, nuint maskBytes, ulong* mask);

    /// <param name="tid">0 for the calling thread.</param>
    [LibraryImport("libc", EntryPoint = "sched_getaffinity", SetLastError = true)]
    internal static partial int GetAffinity(int tid, nuint maskBytes, ulong* mask);

    /// <summary>Returns the CPU time that the calling thread has used, ns.</summary>
    internal static long ThreadCpuNs()
    {
        var time = stackalloc long[2]; // struct timespec: seconds, nanoseconds
        return ClockGetTime(ThreadCpuClock, time) == 0 ? (time[0] * 1_000_000_000) + time[1] : 0;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int ClockGetTime(int clock, long* time);

    [LibraryImport("libc", EntryPoint = "setgroups")]
    private static partial int SetGroups(nuint count, int* groups);

    [LibraryImport("libc", EntryPoint = "setresgid")]
    private static partial int SetGroup(int real, int effective, int saved);

    [LibraryImport("libc", EntryPoint = "setresuid")]
    private static partial int SetUser(int real, int effective, int saved);
}
