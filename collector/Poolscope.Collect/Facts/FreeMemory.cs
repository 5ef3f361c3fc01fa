using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Facts;

/// <summary>The memory that decoding may take.</summary>
internal static class FreeMemory
{
    /// <summary>The share of free memory that decoding takes; the target and other programs need the rest.</summary>
    private const double Share = 0.8;

    /// <returns>Bytes, or null if the free memory is unknown, as on Windows. The runtime itself obeys a limit of the
    /// control group: it takes three quarters of that.</returns>
    public static long? ForHeap(ProcFs proc) =>
        ProcFs.Field(proc.ReadText("/proc/meminfo"), "MemAvailable") is { } free && long.TryParse(free.Split(' ')[0], out var kib)
            ? (long)(Share * kib * 1024) + GC.GetTotalMemory(forceFullCollection: false)
            : null;
}
