using System.Globalization;
using System.Numerics;
using Poolscope.PerfEvents;

namespace Poolscope.Collect.Kernel;

/// <summary>The size of each CPU's ring for scheduler events.</summary>
public static class RingSize
{
    /// <summary>The variable that sets the bytes per CPU: a power of two, from one page to 64 MiB. Any other value
    /// counts as absent. It is for machines that lose scheduler events, and for tests that want to lose some.</summary>
    public const string Variable = "POOLSCOPE_RING_BYTES";

    private const int MostBytes = 64 << 20;

    /// <summary>The size if every process is recorded. 200,000 switches a second on two CPUs fill 16 MiB in 0.8 s. On a
    /// machine as busy as that, the thread that empties the rings waits for a core itself. Only root with CAP_IPC_LOCK
    /// may lock as much regardless of kernel.perf_event_mlock_kb. If the kernel refuses, the rings are halved until
    /// they fit.</summary>
    internal static int OfWholeSystem => Environment.IsPrivilegedProcess ? 16 << 20 : 1 << 20;

    /// <summary>Returns the options with the size that the environment sets, if it sets one.</summary>
    internal static SchedulerRecordingOptions Apply(SchedulerRecordingOptions options) =>
        Parse(Environment.GetEnvironmentVariable(Variable)) is { } bytes ? options with { RingBytesPerCpu = bytes } : options;

    /// <returns>The bytes, or null if the text is no such size.</returns>
    internal static int? Parse(string? text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var bytes)
            && bytes >= Environment.SystemPageSize && bytes <= MostBytes && BitOperations.IsPow2(bytes)
            ? bytes
            : null;
}
