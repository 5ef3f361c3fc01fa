using System.Globalization;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>Reads the CPUs that are online, from a list like "0-3,6".</summary>
internal static class OnlineCpus
{
    /// <remarks>A chroot or a small container may have no /sys; /proc/stat has a line for each online CPU.</remarks>
    internal static int[] Read()
    {
        try
        {
            return Parse(File.ReadAllText("/sys/devices/system/cpu/online"));
        }
        catch (IOException)
        {
            return ParseStat(File.ReadLines("/proc/stat"));
        }
    }

    /// <param name="lines">Lines of /proc/stat: "cpu  ..." for all CPUs together, then "cpu0 ...".</param>
    internal static int[] ParseStat(IEnumerable<string> lines) =>
    [
        .. lines.Where(line => line.StartsWith("cpu", StringComparison.Ordinal) && line.Length > 3 && char.IsAsciiDigit(line[3]))
            .Select(line => int.Parse(line.AsSpan(3, line.IndexOf(' ') - 3), CultureInfo.InvariantCulture)),
    ];

    internal static int[] Parse(string list)
    {
        var cpus = new List<int>();
        foreach (var range in list.Trim().Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            var ends = range.Split('-');
            for (var cpu = int.Parse(ends[0]); cpu <= int.Parse(ends[^1]); cpu++)
            {
                cpus.Add(cpu);
            }
        }

        return [.. cpus];
    }
}
