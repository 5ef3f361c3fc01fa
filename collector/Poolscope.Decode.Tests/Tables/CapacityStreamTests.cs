using Poolscope.Decode.Readings;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

public sealed class CapacityStreamTests
{
    [Fact]
    public void A_row_for_each_change_and_what_limits_it()
    {
        string[] lines =
        [
            CapacityStream.Header,
            "1000,4,",
            "2000,1,", // pinned
            "3000,4,2.5", // a quota instead
            "4000,4,8", // a quota that allows more than the affinity
            "5000,4,8", // the last look
            "6000,", // cut
        ];

        var table = CapacityStream.ToTable(lines.Select(CapacityStream.Parse).OfType<CapacityReading>());

        Assert.Equal(
            ["1000 4 4 NaN affinity", "2000 1 1 NaN affinity", "3000 2.5 4 2.5 quota", "4000 4 4 8 affinity"], TableRows.Of(table));
    }

    [Theory]
    [InlineData("1000,0,")]
    [InlineData("1000,-4,")]
    [InlineData("1000,4,0")]
    [InlineData("1000,4,-2")]
    [InlineData("1000,4,Infinity")]
    [InlineData("1000,4,x")]
    public void What_no_machine_has_is_no_reading(string line) => Assert.Null(CapacityStream.Parse(line));
}
