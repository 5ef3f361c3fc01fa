using Poolscope.Collect.Facts;
using Poolscope.Collect.Kernel;
using Poolscope.Collect.Recording;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class CapacityTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-test-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Changes_are_written_and_the_last_look()
    {
        (int, double?)? seen = (2, null);
        using (var recorder = new CapacityRecorder(() => seen, _folder))
        {
            recorder.Sample(TimeSpan.Zero);
            recorder.Sample(TimeSpan.FromSeconds(1));
            seen = (1, null);
            recorder.Sample(TimeSpan.FromSeconds(1.5)); // not yet
            recorder.Sample(TimeSpan.FromSeconds(2));
            seen = null; // gone for a moment
            recorder.Sample(TimeSpan.FromSeconds(3));
            seen = (1, 0.5);
            recorder.Sample(TimeSpan.FromSeconds(4));
        }

        var lines = File.ReadAllLines(Path.Combine(_folder, "capacity.csv"));
        Assert.Equal("time_ns,cpus_allowed,cpu_quota", lines[0]);
        Assert.Equal(["2,", "1,", "1,0.5", "1,0.5"], lines.Skip(1).Select(line => line[(line.IndexOf(',', StringComparison.Ordinal) + 1)..]));
    }

    [Fact]
    public void A_process_may_use_what_any_of_its_threads_may()
    {
        var masks = new Dictionary<int, ulong[]?> { [1] = [0b0001, 0], [2] = [0b1001, 0], [3] = null, [4] = [0b1000, 1] };
        Assert.Equal(3, Affinity.Count([1, 2, 3, 4], tid => masks[tid]));
        Assert.Null(Affinity.Count([3], tid => masks[tid]));
        Assert.Null(Affinity.Count([], tid => masks[tid]));
    }

    [Theory]
    [InlineData("4096", 4096)]
    [InlineData("1048576", 1048576)]
    [InlineData("5000", null)]
    [InlineData("2048", null)]
    [InlineData("134217728", null)]
    [InlineData("1MB", null)]
    [InlineData(null, null)]
    public void Ring_sizes_that_the_kernel_would_not_take_count_as_absent(string? text, int? bytes) =>
        Assert.Equal(bytes, RingSize.Parse(text));
}
