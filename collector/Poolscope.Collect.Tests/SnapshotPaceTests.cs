using Poolscope.Collect.EventPipe;
using Poolscope.Decode.Counters;
using Xunit;

namespace Poolscope.Collect.Tests;

public sealed class SnapshotPaceTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    // Per half second: items in the queue, items completed.
    [Theory]
    [InlineData(0, 0, false)]
    [InlineData(500, 0, true)] // nothing ends
    [InlineData(1, 0, true)]
    [InlineData(10, 1000, false)] // 5 ms at 2,000 a second
    [InlineData(110, 1000, true)] // 55 ms
    [InlineData(500, -1, false)] // not reported
    public void Items_wait_late_by_queue_and_throughput(long queued, long completed, bool late)
    {
        Assert.Equal(late, SnapshotPace.IsLate(Reading(queued, completed)));
        Assert.False(SnapshotPace.IsLate(null));
    }

    [Fact]
    public void Close_at_first_and_while_items_wait_late()
    {
        CounterReading? reading = null;
        var pace = new SnapshotPace(Second, () => reading);
        Assert.Equal(SnapshotPace.Close, pace.Gap(TimeSpan.Zero));
        Assert.Equal(Second, pace.Gap(SnapshotPace.AtFirst));
        reading = Reading(500, 0);
        Assert.Equal(SnapshotPace.Close, pace.Gap(SnapshotPace.AtFirst + Second));
        reading = Reading(0, 100);
        Assert.Equal(Second, pace.Gap(SnapshotPace.AtFirst + (2 * Second)));
    }

    [Fact]
    public void Never_farther_apart_than_asked_for()
    {
        var beat = TimeSpan.FromMilliseconds(50);
        Assert.Equal(beat, new SnapshotPace(beat, () => null).Gap(TimeSpan.Zero));
    }

    [Fact]
    public void A_process_that_is_always_late_pays_for_a_minute_and_then_for_a_tenth_of_the_time()
    {
        var pace = new SnapshotPace(Second, () => Reading(500, 0));
        var gaps = Enumerable.Range(0, 36_000).Select(tenth => pace.Gap(tenth * Second / 10)).ToList();
        var close = gaps.Select(gap => gap == SnapshotPace.Close).ToList();
        Assert.DoesNotContain(false, close.Take(600));
        Assert.InRange(close.Skip(1000).Count(now => now) / (double)(close.Count - 1000), 0.08, 0.12);
    }

    [Fact]
    public void A_session_that_holds_the_process_up_is_followed_by_a_long_rest()
    {
        var pace = new SnapshotPace(Second, () => Reading(500, 0));
        pace.Took(TimeSpan.FromMilliseconds(120));
        Assert.Equal(SnapshotPace.Close, pace.Gap(TimeSpan.Zero));
        pace.Took(3 * Second);
        Assert.Equal(30 * Second, pace.Gap(Second));
        Assert.Equal(30 * Second, pace.Gap(10 * Second));
        pace.Took(TimeSpan.FromMilliseconds(120));
        Assert.Equal(SnapshotPace.Close, pace.Gap(11 * Second));
    }

    private static CounterReading Reading(long queued, long completed) =>
        new(TimeNs: 1_000_000_000, SinceNs: 500_000_000, queued, completed, Threads: 9, Timers: 0, MethodsCompiled: 0, CompilingNs: 0);
}
