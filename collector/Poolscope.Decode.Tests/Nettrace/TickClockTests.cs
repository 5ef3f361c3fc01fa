using Poolscope.Decode.Nettrace.Values;
using Xunit;

namespace Poolscope.Decode.Tests.Nettrace;

public sealed class TickClockTests
{
    [Theory]
    [InlineData(1_000_000_000, 5_000_000_000_000_001, 5_000_000_000_000_001)]
    [InlineData(10_000_000, 50_000_000_000_001, 5_000_000_000_000_100)]
    [InlineData(24_000_000, 48_000_000_000_000, 2_000_000_000_000_000)]
    public void Ticks_become_nanoseconds_without_overflow(long frequency, long ticks, long nanoseconds) =>
        Assert.Equal(nanoseconds, new TickClock(frequency).Nanoseconds(ticks));
}
