using System.Runtime.InteropServices;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Facts;

/// <summary>The machine on which a capture is taken.</summary>
public static class HostFacts
{
    public static HostInfo Read(ProcFs proc) => new(
        Environment.MachineName,
        OsName(proc.ReadText("/etc/os-release")) ?? RuntimeInformation.OSDescription,
        proc.ReadText("/proc/sys/kernel/osrelease")?.Trim() ?? Environment.OSVersion.Version.ToString(),
        RuntimeInformation.OSArchitecture.ToString().ToLowerInvariant(),
        CpuList.Count(proc.ReadText("/sys/devices/system/cpu/online")) ?? Environment.ProcessorCount,
        MemoryBytes(proc.ReadText("/proc/meminfo")) ?? GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);

    private static string? OsName(string? release) => release?.Split('\n')
        .FirstOrDefault(line => line.StartsWith("PRETTY_NAME=", StringComparison.Ordinal))?["PRETTY_NAME=".Length..].Trim().Trim('"');

    private static long? MemoryBytes(string? meminfo) =>
        ProcFs.Field(meminfo, "MemTotal") is { } total && long.TryParse(total.Split(' ')[0], out var kib) ? kib * 1024 : null;
}
