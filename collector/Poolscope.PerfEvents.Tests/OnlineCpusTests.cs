using Poolscope.PerfEvents.Capture.Events;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>The CPUs to record are found with /sys and without it.</summary>
public sealed class OnlineCpusTests
{
    [Theory]
    [InlineData("0\n", new[] { 0 })]
    [InlineData("0-2,5\n", new[] { 0, 1, 2, 5 })]
    public void The_list_of_sys(string list, int[] expected) => Assert.Equal(expected, OnlineCpus.Parse(list));

    /// <summary>CPU 1 is offline, and the line for all CPUs together is not a CPU.</summary>
    [Fact]
    public void The_lines_of_proc_stat() => Assert.Equal(
        [0, 2, 11],
        OnlineCpus.ParseStat(["cpu  9 0 0 9", "cpu0 3 0 0 3", "cpu2 3 0 0 3", "cpu11 3 0 0 3", "intr 7 0", "cpux 1"]));

    [Fact]
    public void Both_say_the_same_of_this_machine()
    {
        if (File.Exists("/sys/devices/system/cpu/online"))
        {
            Assert.Equal(OnlineCpus.Read(), OnlineCpus.ParseStat(File.ReadLines("/proc/stat")));
        }
    }
}
