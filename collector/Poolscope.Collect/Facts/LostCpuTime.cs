using System.Globalization;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Facts;

/// <summary>The time since boot in which threads held a CPU but did not run, summed over CPUs.</summary>
/// <param name="StolenNs">The time in which the host of a virtual machine ran something else.</param>
/// <param name="InterruptsNs">The time in which hard and soft interrupt handlers ran.</param>
internal readonly record struct LostCpuTime(long StolenNs, long InterruptsNs)
{
    /// <summary>The length of a tick: /proc/stat counts in USER_HZ, 100 on every architecture that .NET runs on (man 5
    /// proc_stat).</summary>
    private const long TickNs = 10_000_000;

    private const int Irq = 6, SoftIrq = 7, Steal = 8;

    /// <returns>Null if there is no /proc/stat, or on a kernel before 2.6.11, which lacks these times.</returns>
    public static LostCpuTime? Read(ProcFs proc)
    {
        if (proc.ReadText("/proc/stat") is not { } text)
        {
            return null;
        }

        var fields = text.Split('\n', 2)[0].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return fields is ["cpu", ..] && fields.Length > Steal
            && Ticks(fields[Steal]) is { } steal && Ticks(fields[Irq]) is { } irq && Ticks(fields[SoftIrq]) is { } soft
            ? new LostCpuTime(steal * TickNs, (irq + soft) * TickNs)
            : null;
    }

    private static long? Ticks(string text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var ticks) && ticks < long.MaxValue / (2 * TickNs) ? ticks : null;
}
