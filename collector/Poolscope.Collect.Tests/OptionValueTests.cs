using Poolscope.Collect.Commands;
using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class OptionValueTests
{
    [Theory]
    [InlineData("2GB", 2L << 30)]
    [InlineData("500MB", 500L << 20)]
    [InlineData("500mb", 500L << 20)]
    [InlineData("1.5g", 3L << 29)]
    [InlineData("64k", 64L << 10)]
    [InlineData("100 MB", 100L << 20)]
    [InlineData("4096", 4096L)]
    [InlineData("4096B", 4096L)]
    [InlineData("0", null)]
    [InlineData("-1GB", null)]
    [InlineData("GB", null)]
    [InlineData("", null)]
    [InlineData("2GBB", null)]
    [InlineData("99999999999TB", null)]
    public void Sizes(string text, long? bytes) => Assert.Equal(bytes, ByteSize.Parse(text));

    [Theory]
    [InlineData(999, "999 B")]
    [InlineData(1536, "1.5 KB")]
    [InlineData(3L << 30, "3.0 GB")]
    public void Sizes_are_shown_in_the_largest_unit_that_fits(long bytes, string text) => Assert.Equal(text, ByteSize.Format(bytes));

    [Theory]
    [InlineData("30", 30.0)]
    [InlineData("30s", 30.0)]
    [InlineData("0.5", 0.5)]
    [InlineData("2m", 120.0)]
    [InlineData("5min", 300.0)]
    [InlineData("1.5h", 5400.0)]
    [InlineData("2m30", null)]
    [InlineData("01:30m", null)]
    [InlineData("1200h", null)]
    [InlineData("01:30", 90.0)]
    [InlineData("00:00:30", 30.0)]
    [InlineData("00:00:00:30", 30.0)]
    [InlineData("01:02:03:04", 93784.0)]
    [InlineData("0", null)]
    [InlineData("00:00", null)]
    [InlineData("-5", null)]
    [InlineData("1:2:3:4:5", null)]
    [InlineData("abc", null)]
    [InlineData("50:00:00:00", null)]
    public void Durations(string text, double? seconds) => Assert.Equal(seconds, TraceDuration.Parse(text)?.TotalSeconds);

    [Fact]
    public void Progress_is_shown_on_a_terminal_only()
    {
        var progress = new RecordingProgress(TimeSpan.FromSeconds(3), 3 << 20, 45678, 2);
        var (terminal, pipe) = (new RecordingConsole(terminal: true), new RecordingConsole());
        new ProgressLine(terminal, rewrite: false).Show(progress);
        new ProgressLine(pipe, rewrite: false).Show(progress);
        Assert.Equal("00:00:03  3.0 MB, 45,678 scheduler events, 2 lost" + Environment.NewLine, terminal.Complained);
        Assert.Empty(pipe.Complained);
    }
}
