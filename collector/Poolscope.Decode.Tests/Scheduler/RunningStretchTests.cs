using Poolscope.Decode.Scheduler;
using Xunit;

namespace Poolscope.Decode.Tests.Scheduler;

/// <summary>A part of a thread's intervals equals the same part of all its intervals.</summary>
public sealed class RunningStretchTests
{
    private const int Switches = 20_000;

    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 300)]
    [InlineData(3, 50)]
    [InlineData(3, 10_000)]
    public void What_is_asked_for_is_the_end_of_what_begins_before(int lives, int count)
    {
        var (tables, end) = Recorded(lives);
        var all = tables.RunningIntervals(7).ToArray();
        Assert.InRange(all.Length, Switches / 2, 2 * Switches);

        // Nearly in order, as items end, and then in any order.
        var random = new Random(count);
        var times = Enumerable.Range(0, 300).Select(i => (i * (end / 300)) - random.NextInt64(end / 30))
            .Concat(Enumerable.Range(0, 100).Select(_ => random.NextInt64(end + 10)));
        foreach (var time in times)
        {
            var expected = all.TakeWhile(interval => interval.Start < time).ToArray();
            var part = tables.RunningIntervals(7, time, count).ToArray();

            Assert.InRange(part.Length, Math.Min(count, expected.Length), expected.Length);
            Assert.Equal(expected[^part.Length..], part);
        }
    }

    [Fact]
    public void A_thread_that_was_never_seen_has_none()
    {
        Assert.Empty(Recorded(1).Tables.RunningIntervals(4711).ToArray());
        Assert.Empty(Recorded(1).Tables.RunningIntervals(4711, 100, 1).ToArray());
    }

    /// <summary>Records a thread that runs, waits for a core and sleeps many times, under a reused id.</summary>
    private static (SchedulerTables Tables, long End) Recorded(int lives)
    {
        var random = new Random(lives);
        var now = 0L;
        var tables = Scripted.Run(1_000, long.MaxValue >> 3, events =>
        {
            for (var life = 0; life < lives; life++)
            {
                for (var i = 0; i < Switches / lives; i++)
                {
                    events.In(now += random.Next(1, 100), 7);
                    var sleeps = random.Next(2) == 0;
                    events.Out(now += random.Next(1, 100), 7, sleeps ? 1 : 0);
                    if (sleeps)
                    {
                        events.Waking(now += random.Next(1, 100), 7);
                    }
                }

                events.In(++now, 7);
                events.Exit(++now, 7);
                events.Out(++now, 7, 0x10);
                events.ThreadStart(now += 2_000_000, Scripted.Target, 7, 1);
            }
        });
        return (tables, now);
    }
}
