using System.Globalization;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Facts;

/// <summary>The counters of the cgroup whose CPU quota limits a process.</summary>
/// <param name="Group">The folder of the cgroup.</param>
/// <param name="Periods">The enforcement periods so far.</param>
/// <param name="ThrottledPeriods">The periods in which the quota ran out.</param>
/// <param name="ThrottledNs">The time for which threads were stopped, in ns, summed over CPUs.</param>
internal readonly record struct CgroupThrottling(string Group, long Periods, long ThrottledPeriods, long ThrottledNs)
{
    /// <returns>Null if no quota limits the process, or its counters are closed to this user.</returns>
    /// <remarks>cpu.stat has throttled_usec in cgroup v2 (Documentation/admin-guide/cgroup-v2.rst) and throttled_time,
    /// in ns, in v1 (Documentation/scheduler/sched-bwc.rst).</remarks>
    public static CgroupThrottling? Read(ProcFs proc, int pid)
    {
        if (CgroupQuota.Tightest(proc, pid) is not { } limit || proc.ReadText(limit.Folder + "/cpu.stat") is not { } stat)
        {
            return null;
        }

        var fields = stat.Split('\n').Select(line => line.Split(' ')).Where(f => f.Length == 2).ToDictionary(f => f[0], f => f[1]);
        var ns = Number(fields, "throttled_time") ?? Number(fields, "throttled_usec") * 1000;
        return Number(fields, "nr_periods") is { } periods && Number(fields, "nr_throttled") is { } throttled && ns is { } stopped
            ? new CgroupThrottling(limit.Folder, periods, throttled, stopped)
            : null;
    }

    private static long? Number(Dictionary<string, string> fields, string name) =>
        fields.TryGetValue(name, out var text) && long.TryParse(text, CultureInfo.InvariantCulture, out var number) ? number : null;
}
