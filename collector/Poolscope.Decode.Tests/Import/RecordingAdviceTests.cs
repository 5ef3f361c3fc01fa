using Poolscope.Decode.Import;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>Advice names a recorder that there is on the system of the trace.</summary>
public sealed class RecordingAdviceTests : IDisposable
{
    private readonly ForeignFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData("Linux", true, false, true)]
    [InlineData("Windows", false, true, false)]
    [InlineData("macOS", true, false, false)]
    [InlineData("", true, true, false)]
    public void Each_system_has_its_own(string os, bool perf, bool perfView, bool collect)
    {
        var kernel = RecordingAdvice.ForKernel(os);
        Assert.Equal((perf, perfView), (kernel.EndsWith("recipe perf", StringComparison.Ordinal) || kernel.Contains("recipe perf;", StringComparison.Ordinal), kernel.Contains("recipe perfview", StringComparison.Ordinal)));
        Assert.Equal(os == "macOS", kernel.Contains("macOS", StringComparison.Ordinal));
        Assert.Equal(collect, RecordingAdvice.ForConfiguration(os).Contains("poolscope-collect collect", StringComparison.Ordinal));
    }

    [Fact]
    public void A_file_that_breaks_off_before_it_says_so_has_no_known_runtime_and_system()
    {
        Assert.DoesNotContain("the runtime's version", Gaps().Select(gap => gap.Wanted));
        ForeignFiles.Change(_files.Trace, bytes => bytes[..(bytes.Length / 4)]);
        var gaps = Gaps();
        Assert.Contains("the runtime's version", gaps.Select(gap => gap.Wanted));
        var kernel = Assert.Single(gaps, gap => gap.Stream == "sched.perf.data");
        Assert.Contains("on Windows", kernel.How, StringComparison.Ordinal);
    }

    private List<Manifest.Refusal> Gaps() => [.. ForeignGaps.Of(NettraceImport.Open(_files.Trace, null, null, TestContext.Current.CancellationToken))];
}
