using Poolscope.Decode.Nettrace.Blocks;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

public sealed class EventLossesTests
{
    [Fact]
    public void Gaps_of_several_threads_at_one_time_are_one()
    {
        EventLoss[] gaps = [new(50, 60, 1), new(10, 20, 3), new(15, 30, 4), new(30, 31, 2), new(32, 40, 5)];
        Assert.Equal([new EventLoss(10, 31, 9), new EventLoss(32, 40, 5), new EventLoss(50, 60, 1)], EventLosses.Merged(gaps));
    }
}
