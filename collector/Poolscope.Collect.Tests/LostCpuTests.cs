using Poolscope.Collect.Facts;
using Poolscope.Collect.Recording;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class LostCpuTests : IDisposable
{
    private const string Stat = "cpu  100 0 50 900 3 4 5 67 0 0\ncpu0 50 0 25 450 1 2 2 30 0 0\nintr 1 2 3\n";

    private readonly FakeRoot _root = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-test-").FullName;

    public void Dispose()
    {
        _root.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData(Stat, 670_000_000L, 90_000_000L)]
    [InlineData("cpu  100 0 50 900 3 4 5\n", null, null)] // before Linux 2.6.11
    [InlineData("cpu  100 0 50 900 3 4 5 -7 0 0\n", null, null)]
    [InlineData("intr 1 2 3\n", null, null)]
    [InlineData("", null, null)]
    public void Ticks_of_all_cpus_are_read(string text, long? stolen, long? interrupts)
    {
        _root.Write("/proc/stat", text);
        LostCpuTime? expected = stolen is { } s && interrupts is { } i ? new LostCpuTime(s, i) : null;
        Assert.Equal(expected, LostCpuTime.Read(_root.Proc));
    }

    [Fact]
    public void Once_a_second_and_at_the_end_a_reading_is_written()
    {
        _root.Write("/proc/stat", Stat);
        using (var recorder = new LostCpuRecorder(_root.Proc, _folder))
        {
            recorder.Sample(TimeSpan.Zero);
            recorder.Sample(TimeSpan.FromSeconds(0.9)); // not yet
            _root.Write("/proc/stat", Stat.Replace("67", "68", StringComparison.Ordinal));
            recorder.Sample(TimeSpan.FromSeconds(1));
            _root.Write("/proc/stat", Stat.Replace("67", "70", StringComparison.Ordinal));
        }

        var lines = File.ReadAllLines(Path.Combine(_folder, "lost-cpu.csv"));
        Assert.Equal("time_ns,stolen_ns,interrupts_ns", lines[0]);
        Assert.Equal(["670000000,90000000", "680000000,90000000", "700000000,90000000"], lines.Skip(1).Select(line => line[(line.IndexOf(',', StringComparison.Ordinal) + 1)..]));
    }

    [Fact]
    public void Where_the_kernel_does_not_tell_there_is_no_file()
    {
        new LostCpuRecorder(_root.Proc, _folder).Dispose();
        Assert.Empty(Directory.GetFiles(_folder));
    }
}
