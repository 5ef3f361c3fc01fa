using Poolscope.Collect.Flight;
using Poolscope.Collect.Watching;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

public sealed class SlotLimitsTests
{
    [Theory]
    [InlineData("wait>5s", 68)]
    [InlineData("wait>5s or queue>1000 for 10s", 73)]
    [InlineData("request>2s for 10s or ready>50ms", 75)]
    [InlineData("starvation", 64)]
    [InlineData("goal>=100", 63)]
    [InlineData("wait>10min", 120)]
    public void The_incident_so_far_is_kept_too(string condition, int seconds)
    {
        var limits = SlotLimits.Of(TimeSpan.FromSeconds(60), WatchCondition.Parse(condition, out _)!.Lead, 1 << 30);
        Assert.Equal(TimeSpan.FromSeconds(seconds), limits.History);
    }

    /// <summary>Over hours on a simulated clock, with up to a second to end a slot, the kept slots always reach back
    /// far enough, and hardly further.</summary>
    [Theory]
    [InlineData(60)]
    [InlineData(6)]
    public void Slots_reach_back_far_enough(int before)
    {
        var limits = new SlotLimits(TimeSpan.FromSeconds(before), 1 << 30);
        var random = new Random(1);
        var starts = new List<double> { 0 };
        var (ends, slots) = (-1.0, 0);
        for (var now = 0.0; now < 500 * before; now += 0.1)
        {
            if (ends >= 0)
            {
                if (now >= ends)
                {
                    starts.Add(now);
                    (ends, slots) = (-1, slots + 1);
                }
            }
            else if (limits.IsDue((long)((now - starts[^1]) * 1e9), 0))
            {
                ends = now + random.NextDouble();
            }

            while (starts.Count > 1 && limits.MayGo((long)(now * 1e9), (long)(starts[1] * 1e9)))
            {
                starts.RemoveAt(0);
            }

            Assert.InRange(now - starts[0], Math.Min(now, before) - 1e-6, (before * 7.0 / 6) + 2);
        }

        Assert.InRange(slots, 500 * 6 * before / (before + 12), 500 * 6);
    }

    [Fact]
    public void A_slot_ends_before_too_much_would_go_with_it()
    {
        var limits = new SlotLimits(TimeSpan.FromMinutes(1), 80);
        Assert.False(limits.IsDue(1_000_000_000, 9));
        Assert.True(limits.IsDue(1_000_000_000, 10));
        Assert.True(limits.IsDue(10_000_000_000, 0));
        Assert.Equal(70, limits.MostBytes);
    }
}
