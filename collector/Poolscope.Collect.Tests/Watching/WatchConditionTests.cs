using Poolscope.Collect.Watching;
using Poolscope.Decode.Live;
using Xunit;

namespace Poolscope.Collect.Tests.Watching;

public sealed class WatchConditionTests
{
    private const long Second = 1_000_000_000;

    [Theory]
    [InlineData("wait>5s", WatchKey.Wait, false, 5 * Second, 0)]
    [InlineData("wait >= 250 ms", WatchKey.Wait, true, Second / 4, 0)]
    [InlineData("wait>1min", WatchKey.Wait, false, 60 * Second, 0)]
    [InlineData("queue>1000 for 10s", WatchKey.Queue, false, 1000, 10)]
    [InlineData("goal>=64", WatchKey.Goal, true, 64, 0)]
    [InlineData("threads>100", WatchKey.Threads, false, 100, 0)]
    [InlineData("request>2s", WatchKey.Request, false, 2 * Second, 0)]
    [InlineData("ready>=50ms for 3s", WatchKey.Ready, true, Second / 20, 3)]
    [InlineData("starvation for 2s", WatchKey.Starvation, false, 0, 2)]
    public void A_term_is_what_it_says(string text, WatchKey key, bool orEqual, long limit, int seconds)
    {
        var condition = WatchCondition.Parse(text, out var complaint);
        Assert.Null(complaint);
        Assert.Equal(new WatchTerm(text, key, orEqual, limit, TimeSpan.FromSeconds(seconds)), Assert.Single(condition!.Terms));
    }

    [Theory]
    [InlineData("", "empty condition")]
    [InlineData("bogus>3", "there is no bogus")]
    [InlineData("ready>50", "a duration and its unit")]
    [InlineData("request>5min", "less than 5m,")]
    [InlineData("request>2", "a duration and its unit")]
    [InlineData("wait>5", "a duration and its unit")]
    [InlineData("wait<5s", "> or >=")]
    [InlineData("wait", "> or >=")]
    [InlineData("queue>5s", "a whole number")]
    [InlineData("queue>-1", "a whole number")]
    [InlineData("queue>1 for ever", "`for` takes a duration")]
    [InlineData("queue>1 for 2000min", "`for` takes a duration")]
    [InlineData("wait>5s or", "there is no")]
    [InlineData("wait>5s and queue>1", "a duration and its unit")]
    public void What_makes_no_sense_is_said(string text, string expected)
    {
        Assert.Null(WatchCondition.Parse(text, out var complaint));
        Assert.Contains(expected, complaint, StringComparison.Ordinal);
    }

    [Fact]
    public void The_limit_itself_is_no_more_than_the_limit_and_the_unknown_is_nothing()
    {
        Assert.False(Holds("queue>10", At(0, queue: 10)));
        Assert.True(Holds("queue>=10", At(0, queue: 10)));
        Assert.False(Holds("queue>=0", At(0, queue: -1)));
        Assert.False(Holds("goal>=0", At(0)));
        Assert.False(Holds("ready>=0ms", At(0)));
        Assert.True(Holds("ready>50ms", At(0) with { ReadyNs = Second / 10 }));
        Assert.False(Holds("request>2s", At(0)));
        Assert.True(Holds("request>2s", At(0) with { RequestNs = 3 * Second }));
        Assert.False(Holds("starvation", At(Second)));
        Assert.True(Holds("starvation", At(10 * Second, starvation: 9 * Second)));
        Assert.False(Holds("starvation", At(12 * Second, starvation: 9 * Second)));
    }

    [Fact]
    public void For_counts_only_time_without_a_break()
    {
        var trigger = new Trigger(WatchCondition.Parse("queue>10 for 3s", out _)!);
        var looks = new[] { 11, 11, 11, 5, 11, 11, 11, 11 }.Select((queue, second) => trigger.Look(At(second * Second, queue: queue), mayFire: true) is not null);
        Assert.Equal([false, false, false, false, false, false, false, true], looks);
    }

    [Fact]
    public void An_incident_fires_once_and_the_next_after_a_calm()
    {
        var trigger = new Trigger(WatchCondition.Parse("queue>10", out _)!);
        var fired = new List<int>();
        for (var second = 0; second < 40; second++)
        {
            // A short break at 3 s; calm from 10 s on; again at 20 s; calm for 4 s only before 30 s.
            var queue = second is 3 or (>= 10 and < 20) or (>= 26 and < 30) ? 0 : 99;
            if (trigger.Look(At(second * Second, queue: queue), mayFire: true) is not null)
            {
                fired.Add(second);
            }
        }

        Assert.Equal([0, 20], fired);
    }

    [Fact]
    public void What_may_not_fire_yet_fires_later()
    {
        var trigger = new Trigger(WatchCondition.Parse("queue>10", out _)!);
        Assert.Null(trigger.Look(At(0, queue: 99), mayFire: false));
        Assert.True(trigger.Holds);
        Assert.NotNull(trigger.Look(At(Second, queue: 99), mayFire: true));
        Assert.Null(trigger.Look(At(2 * Second, queue: 99), mayFire: true));
    }

    private static bool Holds(string text, PoolSample sample) => WatchCondition.Parse(text, out _)!.Terms[0].Holds(sample);

    private static PoolSample At(long now, long queue = -1, long starvation = -1) => new(now, 0, queue, -1, -1, starvation, 0, 0);
}
