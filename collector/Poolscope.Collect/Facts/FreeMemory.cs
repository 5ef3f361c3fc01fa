using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Facts;

/// <summary>How much memory decoding may take.</summary>
internal static class FreeMemory
{
    /// <summary>Of what is free: the target and other programs want some meanwhile.</summary>
    private const double Share = 0.8;

    /// <returns>Bytes; null if nothing shows, as on Windows. A limit of the control group is the runtime's own already: it
    /// takes three quarters of that.</returns>
    public static long? ForHeap(ProcFs proc) =>
        ProcFs.Field(proc.ReadText("/proc/meminfo"), "MemAvailable") is { } free && long.TryParse(free.Split(' ')[0], out var kib)
            ? (long)(Share * kib * 1024) + GC.GetTotalMemory(forceFullCollection: false)
            : null;
}
