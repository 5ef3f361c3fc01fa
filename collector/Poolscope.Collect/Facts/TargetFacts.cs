using System.Globalization;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Facts;

/// <summary>What the capture's manifest says of its target, from the outside: nothing is asked of the process itself.</summary>
public static class TargetFacts
{
    /// <summary>Threads that the pool may have where nothing says otherwise, on 64-bit systems.</summary>
    public const int DefaultMaxThreads = 32767;

    private const string FromEnvironment = "environment";
    private const string FromRuntimeConfig = "runtimeconfig";
    private const string Default = "default";

    public static TargetInfo Read(ProcFs proc, int pid, bool launched, string? runtime)
    {
        var command = proc.CommandLine(pid);
        var settings = RuntimeSettings.Of(proc, pid);
        var allowed = CpuList.Count(proc.Status(pid, "Cpus_allowed_list")) ?? Environment.ProcessorCount;
        var quota = CgroupQuota.Read(proc, pid);
        var processors = ProcessorCount(allowed, quota, settings.Variable("PROCESSOR_COUNT"));
        var (min, max) = ThreadLimits(settings, processors);
        return new TargetInfo
        {
            Pid = pid,
            Name = ProcessNames.Of(command),
            Command = command,
            Launched = launched,
            Runtime = runtime,
            ProcessStartNs = StartNs(proc, pid),
            CpusAllowed = allowed,
            CpuQuota = quota,
            ProcessorCount = processors,
            MinThreads = min,
            MaxThreads = max,
            Own = OwnCode.Of(proc, pid),
        };
    }

    /// <summary>The kernel counts a process's start from boot, sleep of the machine included, and CLOCK_MONOTONIC leaves sleep
    /// out: what has passed since is the same on both, unless the machine slept meanwhile.</summary>
    internal static long? StartNs(ProcFs proc, int pid) =>
        proc.StartTicks(pid) is { } ticks && proc.UptimeTicks() is { } uptime
            ? MonotonicClock.NowNs - ((uptime - ticks) * (1_000_000_000 / ProcFs.TicksPerSecond))
            : null;

    /// <summary>Environment.ProcessorCount: DOTNET_PROCESSOR_COUNT (decimal, its leading digits), else the affinity, and no
    /// more than the quota rounded up.</summary>
    internal static int ProcessorCount(int cpusAllowed, double? quota, string? variable)
    {
        var digits = new string((variable ?? "").TrimStart().TakeWhile(char.IsAsciiDigit).ToArray());
        if (int.TryParse(digits, CultureInfo.InvariantCulture, out var forced) && forced is > 0 and <= 0xFFFF)
        {
            return forced;
        }

        return quota is { } limit ? Math.Max(1, Math.Min(cpusAllowed, (int)Math.Ceiling(limit))) : cpusAllowed;
    }

    /// <summary>The environment before runtimeconfig.json before the default, as the pool reads them at its start; what the
    /// program sets later comes from the runtime's events only. Measured: a forced minimum above a forced maximum
    /// voids both.</summary>
    internal static (KnownValue Min, KnownValue Max) ThreadLimits(RuntimeSettings settings, int processors)
    {
        var min = Forced(settings, "Min");
        var max = Forced(settings, "Max");
        if (min?.Value > max?.Value)
        {
            (min, max) = (null, null);
        }

        var minThreads = min ?? new KnownValue(Math.Min(processors, max?.Value ?? DefaultMaxThreads), Default);
        return (minThreads, max ?? new KnownValue(Math.Max(DefaultMaxThreads, minThreads.Value), Default));
    }

    private static KnownValue? Forced(RuntimeSettings settings, string bound)
    {
        if (settings.HexVariable($"ThreadPool_Force{bound}WorkerThreads") is > 0 and <= short.MaxValue and var variable)
        {
            return new KnownValue(variable, FromEnvironment);
        }

        return settings.Property($"System.Threading.ThreadPool.{bound}Threads") is > 0 and <= short.MaxValue and var property
            ? new KnownValue(property, FromRuntimeConfig)
            : null;
    }
}
