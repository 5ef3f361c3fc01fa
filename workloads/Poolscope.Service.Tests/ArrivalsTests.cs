using Poolscope.Service.Load;
using Xunit;

namespace Poolscope.Service.Tests;

public sealed class ArrivalsTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(100);

    [Fact]
    public void Fixed_arrivals_are_at_equal_distances_and_never_drift()
    {
        var times = Arrivals.Plan(ArrivalKind.Fixed, 30, Duration, seed: 1);

        Assert.Equal(3000, times.Count);
        Assert.Equal(TimeSpan.Zero, times[0]);
        for (var i = 0; i < times.Count; i++)
        {
            // 1/30 s is not a whole number of ticks: rounded distances would have drifted by 1000 ticks at the end.
            Assert.InRange((times[i] - TimeSpan.FromSeconds(i / 30.0)).Ticks, -1, 1);
        }
    }

    [Fact]
    public void Poisson_arrivals_have_exponential_gaps_of_the_mean()
    {
        var times = Arrivals.Plan(ArrivalKind.Poisson, 100, Duration, seed: 7);
        var gaps = times.Zip(times.Skip(1), (a, b) => (b - a).TotalSeconds).ToList();

        // 10,000 arrivals: their number has a standard deviation of 100, their mean gap one of 1 %.
        Assert.InRange(times.Count, 9_600, 10_400);
        Assert.All(gaps, g => Assert.True(g >= 0));
        var mean = gaps.Average();
        Assert.InRange(mean, 0.0096, 0.0104);

        // In an exponential distribution the standard deviation is the mean, and a share of 1/e is above it. Equal gaps
        // would give 0 for both.
        Assert.InRange(Math.Sqrt(gaps.Average(g => (g - mean) * (g - mean))) / mean, 0.93, 1.07);
        Assert.InRange(gaps.Count(g => g > mean) / (double)gaps.Count, 0.34, 0.40);
        Assert.True(times[^1] < Duration);
    }

    [Fact]
    public void The_seed_decides()
    {
        var one = Arrivals.Plan(ArrivalKind.Poisson, 50, Duration, seed: 1);

        Assert.Equal(one, Arrivals.Plan(ArrivalKind.Poisson, 50, Duration, seed: 1));
        Assert.NotEqual(one, Arrivals.Plan(ArrivalKind.Poisson, 50, Duration, seed: 2));
    }
}
