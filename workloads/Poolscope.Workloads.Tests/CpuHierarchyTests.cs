using Poolscope.Workloads.Cgroups;
using Xunit;

namespace Poolscope.Workloads.Tests;

public sealed class CpuHierarchyTests
{
    private const string LegacyMount = "30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct";
    private const string UnifiedMount = "31 25 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw";

    [Fact]
    public void A_group_of_version_1_is_made_below_ones_own()
    {
        var found = CpuHierarchy.Find(["4:memory:/m", "1:cpu,cpuacct:/job", "0::/"], [UnifiedMount, LegacyMount], _ => false);

        Assert.Equal(new CpuHierarchy("/sys/fs/cgroup/cpu,cpuacct/job", "/sys/fs/cgroup/cpu,cpuacct/job", false), found);
    }

    [Fact]
    public void A_container_sees_only_its_part_of_the_tree()
    {
        var mount = LegacyMount.Replace(" / /sys", " /docker/abc /sys", StringComparison.Ordinal);

        Assert.Equal("/sys/fs/cgroup/cpu,cpuacct", CpuHierarchy.Find(["1:cpu,cpuacct:/docker/abc"], [mount], _ => false)?.Own);
    }

    [Fact]
    public void A_group_of_version_2_is_made_in_the_nearest_ancestor_that_lends_the_controller()
    {
        var found = CpuHierarchy.Find(["0::/user.slice/user-0.slice/a.scope"], [UnifiedMount], f => f == "/sys/fs/cgroup/user.slice");

        Assert.Equal(
            new CpuHierarchy("/sys/fs/cgroup/user.slice/user-0.slice/a.scope", "/sys/fs/cgroup/user.slice", true), found);
    }

    [Fact]
    public void Nowhere_is_said()
    {
        Assert.Null(CpuHierarchy.Find(["0::/a"], [UnifiedMount], _ => false));
        Assert.Null(CpuHierarchy.Find(["0::/a"], [], _ => true));
        Assert.Null(CpuHierarchy.Find([], [LegacyMount, UnifiedMount], _ => true));
    }
}
