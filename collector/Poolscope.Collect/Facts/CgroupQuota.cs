using System.Globalization;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Facts;

/// <summary>The CPU time that cgroups, v1 and v2, allow a process. The tightest limit on the way up to the root counts,
/// because the kernel enforces each of them.</summary>
internal static class CgroupQuota
{
    /// <returns>The quota in CPUs' worth of time, or null if there is none.</returns>
    public static double? Read(ProcFs proc, int pid) => Tightest(proc, pid)?.Cpus;

    /// <returns>The folder of the tightest limit and its CPUs' worth of time, or null if there is no quota.</returns>
    public static (string Folder, double Cpus)? Tightest(ProcFs proc, int pid)
    {
        (string Folder, double Cpus)? tightest = null;
        foreach (var (mount, path) in Hierarchies(proc, pid))
        {
            for (var group = path; ; group = Path.GetDirectoryName(group)!)
            {
                var folder = mount.TrimEnd('/') + (group == "/" ? "" : group);
                var quota = Unified(proc.ReadText(folder + "/cpu.max"))
                    ?? Legacy(proc.ReadText(folder + "/cpu.cfs_quota_us"), proc.ReadText(folder + "/cpu.cfs_period_us"));
                tightest = quota is { } found && !(tightest?.Cpus <= found) ? (folder, found) : tightest;
                if (Path.GetDirectoryName(group) is null)
                {
                    break;
                }
            }
        }

        return tightest;
    }

    /// <summary>Returns the mounts of hierarchies that can hold a CPU limit, and the process's group in each.</summary>
    private static IEnumerable<(string Mount, string Path)> Hierarchies(ProcFs proc, int pid)
    {
        var groups = (proc.ReadText($"/proc/{pid}/cgroup") ?? "").Split('\n')
            .Select(line => line.Split(':', 3))
            .Where(fields => fields.Length == 3)
            .Select(fields => (Controllers: fields[1].Split(','), Path: fields[2]))
            .ToList();

        foreach (var line in (proc.ReadText("/proc/self/mountinfo") ?? "").Split('\n'))
        {
            // id parent major:minor root mountpoint options [tags] - type source superoptions
            var fields = line.Split(' ');
            var dash = Array.IndexOf(fields, "-");
            if (dash < 6 || fields.Length < dash + 4)
            {
                continue;
            }

            var (root, mount, type, controllers) = (fields[3], fields[4], fields[dash + 1], fields[dash + 3].Split(','));
            var unified = type == "cgroup2";
            if (!unified && !(type == "cgroup" && controllers.Contains("cpu")))
            {
                continue;
            }

            foreach (var group in groups.Where(group => unified ? group.Controllers is [""] : group.Controllers.Contains("cpu")))
            {
                // A container sees only its own part of the tree, mounted from that part's root.
                var path = root != "/" && group.Path.StartsWith(root, StringComparison.Ordinal) ? group.Path[root.Length..] : group.Path;
                yield return (mount, path.StartsWith('/') && !path.Contains("/..", StringComparison.Ordinal) ? path : "/");
            }
        }
    }

    private static double? Unified(string? max) => max?.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries) is [var quota, var period] ? Ratio(quota, period) : null;

    private static double? Legacy(string? quota, string? period) => quota is null || period is null ? null : Ratio(quota, period);

    /// <summary>Returns the quota divided by the period, or null for "max" and -1, which mean no limit.</summary>
    private static double? Ratio(string quota, string period) =>
        double.TryParse(quota, CultureInfo.InvariantCulture, out var q) && double.TryParse(period, CultureInfo.InvariantCulture, out var p) && q > 0 && p > 0 ? q / p : null;
}
