using Poolscope.Collect.Recording;
using Poolscope.Collect.Terminal;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class OptionValueTests
{
    [Theory]
    [InlineData(999, "999 B")]
    [InlineData(1536, "1.5 KB")]
    [InlineData(3L << 30, "3.0 GB")]
    public void Sizes_are_shown_in_the_largest_unit_that_fits(long bytes, string text) => Assert.Equal(text, ByteSize.Format(bytes));

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
