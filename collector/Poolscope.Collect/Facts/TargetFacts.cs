using System.Globalization;
using Poolscope.Collect.Processes;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Facts;

/// <summary>Collects the manifest's facts about a target from outside, without a request to the process.</summary>
public static class TargetFacts
{
    /// <summary>The pool's default limit of threads on 64-bit systems.</summary>
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

    /// <summary>Returns the start of a process in CLOCK_MONOTONIC ns. The kernel counts it from boot, including the
    /// time that the machine slept, which CLOCK_MONOTONIC leaves out. The time since the start is the same on both
    /// clocks, unless the machine slept meanwhile.</summary>
    internal static long? StartNs(ProcFs proc, int pid) =>
        proc.StartTicks(pid) is { } ticks && proc.UptimeTicks() is { } uptime
            ? MonotonicClock.NowNs - ((uptime - ticks) * (1_000_000_000 / ProcFs.TicksPerSecond))
            : null;

    /// <summary>Returns the target's Environment.ProcessorCount: DOTNET_PROCESSOR_COUNT (decimal, its leading digits),
    /// or else the affinity, and no more than the quota rounded up.</summary>
    internal static int ProcessorCount(int cpusAllowed, double? quota, string? variable)
    {
        var digits = new string((variable ?? "").TrimStart().TakeWhile(char.IsAsciiDigit).ToArray());
        if (int.TryParse(digits, CultureInfo.InvariantCulture, out var forced) && forced is > 0 and <= 0xFFFF)
        {
            return forced;
        }

        return quota is { } limit ? Math.Max(1, Math.Min(cpusAllowed, (int)Math.Ceiling(limit))) : cpusAllowed;
    }

    /// <summary>Returns the limits that the pool reads at its start: from the environment, else from
    /// runtimeconfig.json, else the defaults. Only the runtime's events show limits that the program sets later.
    /// Measured: a forced minimum above a forced maximum voids both.</summary>
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
