using Poolscope.Collect.Views;
using Xunit;

namespace Poolscope.Collect.Tests.Views;

public sealed class SparklineTests
{
    [Fact]
    public void The_latest_is_at_the_right_and_the_unknown_is_a_blank() =>
        Assert.Equal("  ▁ ▂█", Sparkline.Draw([0, null, 1, 1000], 6, unicode: true));

    [Fact]
    public void Of_more_values_than_fit_the_latest_are_drawn() =>
        Assert.Equal("▅█", Sparkline.Draw([100, 1, 2], 2, unicode: true));

    [Fact]
    public void Nothing_but_zeros_is_the_lowest_bar() => Assert.Equal(" ▁▁", Sparkline.Draw([0, 0], 3, unicode: true));

    [Fact]
    public void Nothing_known_is_blank() => Assert.Equal("   ", Sparkline.Draw([null, null], 3, unicode: true));

    [Fact]
    public void Without_unicode_there_are_other_bars() => Assert.Equal("_+#", Sparkline.Draw([0, 4, 7], 3, unicode: false));
}
