using Poolscope.Decode.Import;
using Xunit;

namespace Poolscope.Decode.Tests.Import;

/// <summary>Two recordings have one clock if threads run when they write events, and would not if one recording were
/// shifted.</summary>
public sealed class ClockEvidenceTests
{
    private const int Worker = 7;
    private const long Ms = 1_000_000;
    private const long Start = 1_000_000 * Ms;
    private const int Bursts = 400;

    private readonly Random _random = new(1);

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, false)]
    [InlineData(-1, false)]
    [InlineData(5, false)]
    [InlineData(-5, false)]
    [InlineData(1000, false)]
    public void Short_bursts_prove_the_clock_and_refute_a_shifted_one(int shift, bool proven)
    {
        var evidence = Of(burst: Ms / 5, moments: 1, shift * Ms);
        Assert.Equal((proven, !proven), (evidence.IsProven, evidence.IsRefuted));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    [InlineData(300)]
    public void Threads_that_always_run_prove_nothing(int shift)
    {
        var running = new OnCpuTimes([Worker]);
        running.Switch(Start, 0, 0, 0, Worker);
        var moments = new Moments();
        for (var i = 0; i < 5000; i++)
        {
            moments.Add(Worker, Start + (i * Ms) + (shift * Ms));
        }

        var evidence = ClockEvidence.Of(moments, running, Start, Start + (6000 * Ms), 1);
        Assert.True(evidence is { IsAgreed: true, Shifted: 1, IsProven: false, IsRefuted: false }, evidence.Text);
    }

    [Fact]
    public void Few_moments_prove_nothing()
    {
        var evidence = Of(burst: Ms / 5, moments: Bursts / 15, 0);
        Assert.InRange(evidence.Moments, 10, ClockEvidence.Fewest - 1);
        Assert.True(evidence is { IsProven: false, IsRefuted: false, Share: 1 });
    }

    [Fact]
    public void What_is_told_in_part_is_not_counted()
    {
        // Every second stay lacks its arrival, as on machines with silent tasks.
        var running = new OnCpuTimes([Worker]);
        for (var i = 0; i < 10; i++)
        {
            if (i % 2 == 0)
            {
                running.Switch(Start + (i * 10 * Ms), 0, 1, 1, Worker);
            }

            running.Switch(Start + (i * 10 * Ms) + Ms, 0, Worker, 1, 1);
        }

        Assert.True(running.IsRunning(Worker, Start + (Ms / 2), 1));
        Assert.Null(running.IsRunning(Worker, Start + (5 * Ms), 1)); // it left at 1 ms, and left again at 11 ms
        Assert.Null(running.IsRunning(Worker, Start + (10 * Ms) + (Ms / 2), 1));
        Assert.False(running.IsRunning(Worker, Start + (15 * Ms), 1)); // it left at 11 ms and came at 20 ms
    }

    [Fact]
    public void A_rounded_time_may_end_later_by_what_was_rounded_off()
    {
        var running = new OnCpuTimes([Worker]);
        running.Switch(Start, 0, 1, 1, Worker);
        running.Switch(Start + 5000, 0, Worker, 1, 1);
        Assert.True(running.IsRunning(Worker, Start + 5999, 1000));
        Assert.False(running.IsRunning(Worker, Start + 5999, 1));
    }

    [Fact]
    public void Moments_of_any_number_take_bounded_memory_and_keep_all_threads()
    {
        var moments = new Moments();
        for (var i = 0; i < 2_000_000; i++)
        {
            moments.Add(i % 3, i * Ms);
        }

        Assert.InRange(moments.All.Count, 1 << 14, 1 << 16);
        Assert.Equal(3, moments.All.DistinctBy(moment => moment.Tid).Count());
        Assert.InRange(moments.All[^1].Time, 1_900_000 * Ms, 2_000_000 * Ms);
    }

    /// <summary>A thread runs in bursts at random times, 15 to 45 ms apart, and writes an event in the middle of
    /// each.</summary>
    /// <param name="moments">One event in this many bursts.</param>
    /// <param name="shift">Shift of the events, ns.</param>
    private ClockEvidence Of(long burst, int moments, long shift)
    {
        var running = new OnCpuTimes([Worker]);
        var written = new Moments();
        var time = Start;
        for (var i = 0; i < Bursts; i++)
        {
            time += (15 * Ms) + _random.NextInt64(30 * Ms);
            running.Switch(time, 0, 0, 0, Worker);
            running.Switch(time + burst, 0, Worker, 1, 0);
            if (i % moments == 0)
            {
                written.Add(Worker, time + (burst / 2) + shift);
            }
        }

        return ClockEvidence.Of(written, running, Start, time, 1);
    }
}
