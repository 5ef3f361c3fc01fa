using Poolscope.Collect.Facts;
using Poolscope.Decode.Manifest;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class TargetFactsTests : IDisposable
{
    private const string Config = """{ "runtimeOptions": { "configProperties": { "System.Threading.ThreadPool.MinThreads": 7, "System.Threading.ThreadPool.MaxThreads": "9" } } }""";

    private readonly FakeRoot _root = new();

    [Fact]
    public void Without_settings_the_pool_has_one_thread_per_processor_at_least()
    {
        var target = Read();
        Assert.Equal(5, target.CpusAllowed);
        Assert.Null(target.CpuQuota);
        Assert.Equal(5, target.ProcessorCount);
        Assert.Equal(new KnownValue(5, "default"), target.MinThreads);
        Assert.Equal(new KnownValue(32767, "default"), target.MaxThreads);
        Assert.Equal(["dotnet", "/app/app.dll", "--x"], target.Command);
        Assert.Equal("app", target.Name);
    }

    // Each row was measured on .NET 10: the limits that the variables, and the file above if it exists, result in.
    [Theory]
    [InlineData("", false, 5, "default", 32767, "default")]
    [InlineData("DOTNET_ThreadPool_ForceMinWorkerThreads=14", false, 20, "environment", 32767, "default")]
    [InlineData("DOTNET_ThreadPool_ForceMinWorkerThreads=0x14", false, 20, "environment", 32767, "default")]
    [InlineData("COMPlus_ThreadPool_ForceMinWorkerThreads=14", false, 20, "environment", 32767, "default")]
    [InlineData("", true, 7, "runtimeconfig", 9, "runtimeconfig")]
    [InlineData("DOTNET_ThreadPool_ForceMinWorkerThreads=5", true, 5, "environment", 9, "runtimeconfig")]
    [InlineData("DOTNET_ThreadPool_ForceMinWorkerThreads=zz", true, 7, "runtimeconfig", 9, "runtimeconfig")]
    [InlineData("DOTNET_ThreadPool_ForceMinWorkerThreads=14", true, 5, "default", 32767, "default")]
    public void Thread_limits(string variable, bool config, int min, string minKnown, int max, string maxKnown)
    {
        _root.Write($"/proc/{FakeRoot.Pid}/environ", variable + "\0");
        if (config)
        {
            _root.Write("/app/app.runtimeconfig.json", Config);
        }

        var target = Read();
        Assert.Equal(new KnownValue(min, minKnown), target.MinThreads);
        Assert.Equal(new KnownValue(max, maxKnown), target.MaxThreads);
    }

    [Fact]
    public void Own_are_the_entry_its_projects_and_assemblies_with_a_pdb_that_no_package_brought()
    {
        Assert.Null(Read().Own);
        _root.Write("/app/app.deps.json", """
            {
              "targets": { ".NETCoreApp,Version=v10.0": {
                "app/1.0.0": { "runtime": { "app.dll": {} } },
                "Shop.Core/1.0.0": { "runtime": { "Shop.Core.dll": {} } },
                "Npgsql/8.0.3": { "runtime": { "lib/net8.0/Npgsql.dll": {} } }
              } },
              "libraries": {
                "app/1.0.0": { "type": "project" }, "Shop.Core/1.0.0": { "type": "project" }, "Npgsql/8.0.3": { "type": "package" }
              }
            }
            """);
        foreach (var file in (string[])["Npgsql.dll", "Npgsql.pdb", "Plugin.dll", "Plugin.pdb", "Vendor.dll", "Left.pdb"])
        {
            _root.Write("/app/" + file, "");
        }

        var own = Read().Own!;
        Assert.Equal("app", own.Entry);
        Assert.Equal(["Plugin", "Shop.Core", "app"], own.Assemblies);
    }

    [Theory]
    [InlineData("{ not json")]
    [InlineData("[]")]
    [InlineData("""{ "libraries": 7 }""")]
    public void Broken_dependencies_count_as_none(string text)
    {
        _root.Write("/app/app.deps.json", text);
        Assert.Null(Read().Own);
    }

    [Fact]
    public void A_broken_runtimeconfig_counts_as_none()
    {
        _root.Write("/app/app.runtimeconfig.json", "{ not json");
        Assert.Equal("default", Read().MinThreads.Known);
    }

    [Theory]
    [InlineData(8, null, null, 8)]
    [InlineData(8, 2.5, null, 3)]
    [InlineData(2, 6.0, null, 2)]
    [InlineData(8, 0.1, null, 1)]
    [InlineData(8, 2.0, "16", 16)]
    [InlineData(2, null, "10", 10)]
    [InlineData(2, null, "0x10", 2)]
    [InlineData(2, null, "1a", 1)]
    public void Processor_count(int allowed, double? quota, string? variable, int expected) =>
        Assert.Equal(expected, TargetFacts.ProcessorCount(allowed, quota, variable));

    [Theory]
    [InlineData("max 100000", "50000 100000", 0.5)]
    [InlineData("150000 100000", "max 100000", 1.5)]
    [InlineData("300000 100000", "200000 100000", 2.0)]
    [InlineData("max 100000", "max 100000", null)]
    public void The_tightest_quota_on_the_way_up_counts_in_cgroup_v2(string own, string parent, double? cpus)
    {
        _root.Write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
        _root.Write($"/proc/{FakeRoot.Pid}/cgroup", "0::/slice/app\n");
        _root.Write("/sys/fs/cgroup/slice/app/cpu.max", own + "\n");
        _root.Write("/sys/fs/cgroup/slice/cpu.max", parent + "\n");
        Assert.Equal(cpus, Read().CpuQuota);
    }

    [Fact]
    public void Cgroup_v1_and_a_containers_part_of_the_tree()
    {
        _root.Write("/proc/self/mountinfo", "31 20 0:27 /docker/abc /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
        _root.Write($"/proc/{FakeRoot.Pid}/cgroup", "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n");
        _root.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
        _root.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
        Assert.Equal(2.5, Read().CpuQuota);
        Assert.Equal(3, Read().ProcessorCount);

        _root.Write("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
        Assert.Null(Read().CpuQuota);
    }

    [Theory]
    [InlineData("throttled_time 702300040", 702_300_040)]
    [InlineData("throttled_usec 702300", 702_300_000)]
    public void Throttling_is_read_where_the_tightest_quota_is(string time, long ns)
    {
        _root.Write("/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
        _root.Write($"/proc/{FakeRoot.Pid}/cgroup", "0::/slice/app\n");
        _root.Write("/sys/fs/cgroup/slice/app/cpu.max", "max 100000\n");
        _root.Write("/sys/fs/cgroup/slice/app/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
        Assert.Null(CgroupThrottling.Read(_root.Proc, FakeRoot.Pid));

        _root.Write("/sys/fs/cgroup/slice/cpu.max", "50000 100000\n");
        _root.Write("/sys/fs/cgroup/slice/cpu.stat", $"usage_usec 5\nnr_periods 21\nnr_throttled 20\n{time}\n");
        Assert.Equal(new CgroupThrottling("/sys/fs/cgroup/slice", 21, 20, ns), CgroupThrottling.Read(_root.Proc, FakeRoot.Pid));
    }

    [Theory]
    [InlineData("0", 1)]
    [InlineData("0-3,8,10-11", 7)]
    [InlineData("3-1", null)]
    [InlineData("", null)]
    [InlineData(null, null)]
    public void Lists_of_cpus(string? list, int? count) => Assert.Equal(count, CpuList.Count(list));

    public void Dispose() => _root.Dispose();

    private TargetInfo Read() => TargetFacts.Read(_root.Proc, FakeRoot.Pid, launched: false, runtime: ".NET 10.0.12");
}
