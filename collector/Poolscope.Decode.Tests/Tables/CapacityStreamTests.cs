using Poolscope.Decode.Streams;
using Xunit;

namespace Poolscope.Decode.Tests.Tables;

public sealed class CapacityStreamTests
{
    [Fact]
    public void A_row_for_each_change_and_what_limits_it()
    {
        var (table, first, last, readings) = CapacityStream.Read(
        [
            CapacityStream.Header,
            "1000,4,",
            "2000,1,", // pinned
            "3000,4,2.5", // a quota instead
            "4000,4,8", // one that allows more than the affinity
            "5000,4,8", // the last look
            "6000,", // cut
        ]);

        Assert.Equal(
            ["1000 4 4 NaN affinity", "2000 1 1 NaN affinity", "3000 2.5 4 2.5 quota", "4000 4 4 8 affinity"], TableRows.Of(table));
        Assert.Equal((1000, 5000, 5), (first, last, readings));
    }
}
