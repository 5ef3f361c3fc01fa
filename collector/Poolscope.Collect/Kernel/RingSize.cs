using System.Globalization;
using System.Numerics;
using Poolscope.PerfEvents;

namespace Poolscope.Collect.Kernel;

/// <summary>Room for scheduler events in each CPU's ring.</summary>
public static class RingSize
{
    /// <summary>Bytes per CPU: a power of two, from one page to 64 MiB; anything else counts as absent. For machines that
    /// lose scheduler events, and for tests that want to lose some.</summary>
    public const string Variable = "POOLSCOPE_RING_BYTES";

    private const int MostBytes = 64 << 20;

    /// <summary>Where every process is recorded: 200,000 switches a second on two CPUs fill 16 MiB in 0.8 s, and on a machine
    /// as busy as that the thread that empties the rings waits for a core itself. Only root with CAP_IPC_LOCK
    /// may lock as much whatever kernel.perf_event_mlock_kb says; where the kernel refuses, rings are halved until they fit.</summary>
    internal static int OfWholeSystem => Environment.IsPrivilegedProcess ? 16 << 20 : 1 << 20;

    /// <summary>The options with the size that the environment asks for, if it asks for one.</summary>
    internal static SchedulerRecordingOptions Apply(SchedulerRecordingOptions options) =>
        Parse(Environment.GetEnvironmentVariable(Variable)) is { } bytes ? options with { RingBytesPerCpu = bytes } : options;

    /// <returns>Null: no such size.</returns>
    internal static int? Parse(string? text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var bytes)
            && bytes >= Environment.SystemPageSize && bytes <= MostBytes && BitOperations.IsPow2(bytes)
            ? bytes
            : null;
}
