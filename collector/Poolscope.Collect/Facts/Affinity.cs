using System.Numerics;
using Poolscope.Collect.Processes;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Facts;

/// <summary>Counts the CPUs that a process may use. Affinity belongs to threads: `taskset -p` moves one of them,
/// `taskset -a -p` all, a cpuset all. A process may use every CPU that any of its threads may use.</summary>
internal static class Affinity
{
    // 8192 CPUs are the most that a kernel can be built for. The kernel refuses a mask that is too short.
    private const int MaskWords = 8192 / 64;

    /// <returns>The number of CPUs, or null if the process is gone.</returns>
    public static int? Count(ProcFs proc, int pid) =>
        OperatingSystem.IsWindows() ? WindowsProcesses.Processors(pid) : Count(proc.ThreadsOf(pid), Mask);

    /// <param name="mask">Returns the CPUs of one thread, one bit each, or null if the thread has ended.</param>
    internal static int? Count(IEnumerable<int> threads, Func<int, ulong[]?> mask)
    {
        ulong[]? any = null;
        foreach (var allowed in threads.Select(mask).OfType<ulong[]>())
        {
            any ??= new ulong[allowed.Length];
            for (var i = 0; i < allowed.Length; i++)
            {
                any[i] |= allowed[i];
            }
        }

        return any?.Sum(BitOperations.PopCount);
    }

    /// <summary>Reads a thread's mask with a system call, not a file: a process may have thousands.</summary>
    private static unsafe ulong[]? Mask(int tid)
    {
        var mask = new ulong[MaskWords];
        fixed (ulong* bits = mask)
        {
            return Libc.GetAffinity(tid, MaskWords * sizeof(ulong), bits) == 0 ? mask : null;
        }
    }
}
