using System.Globalization;
using Poolscope.Workloads.Running;

namespace Poolscope.Workloads.Cgroups;

/// <summary>A cgroup with a CPU quota for this process alone. Disposing it moves the process back and removes the
/// group.</summary>
public sealed class QuotaGroup : IDisposable
{
    private const string Prefix = "poolscope-workloads-";

    // The kernel's default period (Documentation/scheduler/sched-bwc.rst).
    private const int PeriodUs = 100_000;

    private readonly string _folder;
    private readonly string _before;

    private QuotaGroup(string folder, string before)
    {
        _folder = folder;
        _before = before;
    }

    /// <summary>Moves this process, with all its threads, into a new group.</summary>
    /// <param name="cores">CPU time that it may use, in CPUs; above 0.</param>
    /// <exception cref="WorkloadFailedException">This machine or user does not allow it; nothing has
    /// changed.</exception>
    public static QuotaGroup Join(double cores)
    {
        const string refused = "cgroup-throttled needs root and a writable cgroup with the cpu controller: ";
        if (!OperatingSystem.IsLinux())
        {
            throw new WorkloadFailedException(refused + "this is not Linux");
        }

        try
        {
            var hierarchy = CpuHierarchy.Find(
                File.ReadLines("/proc/self/cgroup"), File.ReadLines("/proc/self/mountinfo"), LendsCpu)
                ?? throw new WorkloadFailedException(refused + "none is mounted that lends it to a new group");
            return Join(hierarchy, (long)(cores * PeriodUs));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new WorkloadFailedException(refused + e.Message.ReplaceLineEndings(" "));
        }
    }

    public void Dispose()
    {
        Enter(_before);
        Directory.Delete(_folder);
    }

    private static QuotaGroup Join(CpuHierarchy hierarchy, long quotaUs)
    {
        RemoveOrphans(hierarchy.Parent);
        var folder = Path.Combine(hierarchy.Parent, Prefix + Environment.ProcessId.ToString(CultureInfo.InvariantCulture));
        Directory.CreateDirectory(folder);
        try
        {
            if (hierarchy.Unified)
            {
                File.WriteAllText(Path.Combine(folder, "cpu.max"), string.Create(CultureInfo.InvariantCulture, $"{quotaUs} {PeriodUs}"));
            }
            else
            {
                File.WriteAllText(Path.Combine(folder, "cpu.cfs_period_us"), PeriodUs.ToString(CultureInfo.InvariantCulture));
                File.WriteAllText(Path.Combine(folder, "cpu.cfs_quota_us"), quotaUs.ToString(CultureInfo.InvariantCulture));
            }

            Enter(folder);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            Directory.Delete(folder);
            throw;
        }

        return new QuotaGroup(folder, hierarchy.Own);
    }

    /// <summary>Removes the groups of killed runs, which are empty.</summary>
    private static void RemoveOrphans(string parent)
    {
        foreach (var folder in Directory.EnumerateDirectories(parent, Prefix + "*"))
        {
            if (!Directory.Exists("/proc/" + Path.GetFileName(folder)[Prefix.Length..]))
            {
                Directory.Delete(folder);
            }
        }
    }

    private static void Enter(string folder) => File.WriteAllText(
        Path.Combine(folder, "cgroup.procs"), Environment.ProcessId.ToString(CultureInfo.InvariantCulture));

    private static bool LendsCpu(string folder)
    {
        var lent = Path.Combine(folder, "cgroup.subtree_control");
        return File.Exists(lent) && File.ReadAllText(lent).Split().Contains("cpu");
    }
}
