using System.Text;
using Poolscope.Decode.Import;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>Advice names a recorder that exists on the system of the trace.</summary>
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
        Assert.Equal(collect, RecordingAdvice.ForConfiguration(os).Contains("poolscope collect", StringComparison.Ordinal));
    }

    [Fact]
    public void A_file_that_does_not_tell_its_system_gets_the_advice_for_each()
    {
        Assert.DoesNotContain("on Windows", Kernel().How, StringComparison.Ordinal);
        Rename("DotNETCore-EventPipe", "DotNETCore-EventPipf");
        Assert.Contains("on Windows", Kernel().How, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_the_runtimes_own_event_its_version_is_missing()
    {
        const string version = "the runtime's version";
        Assert.DoesNotContain(version, Gaps().Select(gap => gap.Wanted));

        Rename("DotNETRuntime", "DotNETRuntimf"); // renames the rundown's too
        Assert.Contains(version, Gaps().Select(gap => gap.Wanted));
    }

    /// <summary>Gives the providers of this name an unknown one.</summary>
    private void Rename(string name, string unknown) => ForeignFiles.Change(_files.Trace, bytes =>
        Encoding.Latin1.GetBytes(Encoding.Latin1.GetString(bytes).Replace(Wide(name), Wide(unknown), StringComparison.Ordinal)));

    private static string Wide(string text) => Encoding.Latin1.GetString(Encoding.Unicode.GetBytes(text));

    private Manifest.Refusal Kernel() => Assert.Single(Gaps(), gap => gap.Stream == "sched.perf.data");

    private List<Manifest.Refusal> Gaps() => [.. ForeignGaps.Of(NettraceImport.Open(_files.Trace, null, null, TestContext.Current.CancellationToken))];
}
