using System.Numerics;
using Poolscope.Collect.Processes;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Facts;

/// <summary>The CPUs that a process may use. Affinity belongs to threads: `taskset -p` moves one of them, `taskset -a -p` all,
/// a cpuset all. What the process may use is what any of its threads may.</summary>
internal static class Affinity
{
    // 8192 CPUs: the most that a kernel can be built for. A mask that is too short is refused.
    private const int MaskWords = 8192 / 64;

    /// <returns>CPUs; null: the process is gone.</returns>
    public static int? Count(ProcFs proc, int pid) =>
        OperatingSystem.IsWindows() ? WindowsProcesses.Processors(pid) : Count(proc.ThreadsOf(pid), Mask);

    /// <param name="mask">The CPUs of one thread, a bit each; null: it has ended.</param>
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

    /// <summary>A system call a thread, and not a file to read: a process may have thousands.</summary>
    private static unsafe ulong[]? Mask(int tid)
    {
        var mask = new ulong[MaskWords];
        fixed (ulong* bits = mask)
        {
            return Libc.GetAffinity(tid, MaskWords * sizeof(ulong), bits) == 0 ? mask : null;
        }
    }
}
