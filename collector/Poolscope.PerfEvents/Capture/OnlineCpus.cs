namespace Poolscope.PerfEvents.Capture;

/// <summary>The CPUs that are online, from a list like "0-3,6".</summary>
internal static class OnlineCpus
{
    internal static int[] Read() => Parse(File.ReadAllText("/sys/devices/system/cpu/online"));

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
