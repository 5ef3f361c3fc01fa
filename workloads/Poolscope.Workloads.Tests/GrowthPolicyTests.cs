using Poolscope.Workloads.Pools.Reference.Growth;
using Xunit;

namespace Poolscope.Workloads.Tests;

/// <summary>Each policy under a clock that the test advances from one look of the gate to the next. There are more
/// items than threads, and no item ever ends.</summary>
public sealed class GrowthPolicyTests
{
    private const int Backlog = 100_000;

    public static TheoryData<int, int, double> RotorTable => new()
    {
        // Threads beyond the processors; the gap that the next one requires, ms; the time at which it exists, s.
        { 0, 500, 1.0 },
        { 1, 550, 2.0 },
        { 2, 605, 3.0 },
        { 4, 732, 5.0 },
        { 7, 974, 8.0 },
        { 9, 1178, 11.0 },
        { 11, 1426, 14.0 },
        { 14, 1898, 20.0 },
        { 19, 3057, 34.5 },
        { 23, 4477, 51.0 },
    };

    [Theory]
    [MemberData(nameof(RotorTable))]
    public void Rotor_s_gaps_grow_by_a_tenth_and_are_rounded_up_to_the_gate_s_ticks(int extra, int gapMs, double existsAt)
    {
        Assert.Equal(gapMs, (int)RotorPolicy.RequiredGap(extra).TotalMilliseconds);

        var created = Burst(new RotorPolicy(1), Limits(1, 25), TimeSpan.FromMinutes(2));

        Assert.Equal(TimeSpan.FromSeconds(existsAt), created[1 + extra]);
    }

    [Fact]
    public void Rotor_s_gap_for_the_25th_extra_thread_is_the_published_5_4_seconds()
    {
        Assert.Equal(5.417, RotorPolicy.RequiredGap(25).TotalSeconds, 0.001);

        // Two processors get one thread each at once, and the next look after 5.42 s is at 5.5 s.
        var created = Burst(new RotorPolicy(2), Limits(2, 50), TimeSpan.FromMinutes(2));

        Assert.Equal(TimeSpan.FromSeconds(5.5), created[2 + 25] - created[2 + 24]);
    }

    [Fact]
    public void Rotor_needs_more_than_the_gap()
    {
        // The thread at the start was created exactly half a second before the first look, which is not more.
        Assert.False(new RotorPolicy(1).AtGate(State(500, 0, queued: 9, total: 1)).Create);
        Assert.True(new RotorPolicy(1).AtGate(State(501, 0, queued: 9, total: 1)).Create);
    }

    [Fact]
    public void Rotor_does_not_grow_while_its_queue_shrinks()
    {
        var policy = new RotorPolicy(1);

        Assert.True(policy.AtGate(State(1000, 0, queued: 9, total: 1)).Create);
        Assert.False(policy.AtGate(State(5000, 0, queued: 8, total: 1)).Create);
        Assert.True(policy.AtGate(State(5500, 0, queued: 8, total: 1)).Create);

        // A look at an empty queue does not count: the next look compares with the 8.
        Assert.False(policy.AtGate(State(6000, 0, queued: 0, total: 1)).Create);
        Assert.False(policy.AtGate(State(6500, 0, queued: 7, total: 1)).Create);
    }

    [Fact]
    public void Rotor_starts_as_many_threads_as_run_at_once_and_keeps_an_idle_one_for_40_s_or_81()
    {
        var policy = new RotorPolicy(4);

        Assert.Equal((4, 100), (policy.Limits.MinThreads, policy.Limits.MaxThreads));
        Assert.True(policy.CreatesAtEnqueue(State(0, 0, queued: 1, total: 0, min: 4)));
        Assert.True(policy.CreatesAtEnqueue(State(0, 0, queued: 4, total: 3, min: 4)));
        Assert.False(policy.CreatesAtEnqueue(State(0, 0, queued: 5, total: 4, min: 4)));
        Assert.False(policy.CreatesAtEnqueue(State(0, 0, queued: 1, total: 2, idle: 1, min: 4)));
        Assert.Equal(TimeSpan.FromSeconds(40), policy.IdleTimeout(State(0, 0, queued: 0, total: 4, idle: 1, min: 4)));
        Assert.Equal(TimeSpan.FromSeconds(81), policy.IdleTimeout(State(0, 0, queued: 0, total: 2, idle: 1, min: 4)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public void Net11_adds_one_each_half_second_up_to_25_for_each_processor(int processors)
    {
        var policy = new Net11Policy(processors);
        var created = Burst(policy, policy.Limits, TimeSpan.FromMinutes(2));

        Assert.Equal(25 * processors, created.Count);
        Assert.All(created.Take(processors), at => Assert.Equal(TimeSpan.Zero, at));
        Assert.Equal(
            Enumerable.Range(1, 24 * processors).Select(k => k * TimeSpan.FromSeconds(0.5)), created.Skip(processors));
    }

    [Fact]
    public void Net11_and_net35_add_none_without_a_backlog_or_beside_an_idle_thread()
    {
        foreach (var policy in new IGrowthPolicy[] { new Net11Policy(2), new Net35Policy(2) })
        {
            Assert.True(policy.AtGate(State(9_000, 0, queued: 1, total: 2)).Create);
            Assert.False(policy.AtGate(State(9_000, 0, queued: 0, total: 2)).Create);
            Assert.False(policy.AtGate(State(9_000, 0, queued: 1, total: 2, idle: 1)).Create);
            Assert.False(policy.AtGate(State(9_000, 0, queued: 1, total: 9, max: 9)).Create);
        }
    }

    [Fact]
    public void Net35_s_gaps_grow_by_a_tenth_each()
    {
        var created = Burst(new Net35Policy(2), Limits(2, 500), TimeSpan.FromMinutes(5));

        Assert.All(created.Take(2), at => Assert.Equal(TimeSpan.Zero, at));
        for (var k = 0; k < 40; k++)
        {
            var gap = created[2 + k] - (k == 0 ? TimeSpan.Zero : created[1 + k]);
            Assert.Equal(500 * Math.Pow(1.1, k), gap.TotalMilliseconds, 0.01);
        }

        // "The first fifteen quick, then ever longer": 15 more threads in 16 s, the next 15 in 66 s.
        Assert.Equal(15.9, created[16].TotalSeconds, 0.1);
        Assert.Equal(66.4, (created[31] - created[16]).TotalSeconds, 0.1);
    }

    [Fact]
    public void Net35_stops_at_250_for_each_processor()
    {
        var policy = new Net35Policy(2);

        Assert.Equal((2, 500), (policy.Limits.MinThreads, policy.Limits.MaxThreads));
        Assert.True(policy.AtGate(State(2e8, 0, queued: 1, total: 499, min: 2, max: 500)).Create);
        Assert.False(policy.AtGate(State(2e8, 0, queued: 1, total: 500, min: 2, max: 500)).Create);
    }

    [Fact]
    public void A_minimum_far_above_the_processors_does_not_overflow_the_gap()
    {
        Assert.Equal(TimeSpan.FromDays(1), RotorPolicy.RequiredGap(30_000));
        Assert.Equal(TimeSpan.FromDays(1), new Net35Policy(2).AtGate(State(0, 0, queued: 1, total: 900)).Next);
    }

    [Fact]
    public void Net35_serves_a_table_of_slow_cells_later_than_net11()
    {
        var half = TimeSpan.FromMinutes(1);
        var net11 = Burst(new Net11Policy(2), new Net11Policy(2).Limits, half);
        var net35 = Burst(new Net35Policy(2), new Net35Policy(2).Limits, half);

        Assert.Equal((50, 28), (net11.Count, net35.Count));
    }

    [Fact]
    public void A_fixed_pool_has_all_its_threads_before_the_first_item_and_never_another()
    {
        var policy = new FixedPolicy(7);

        Assert.Equal((7, 7, 7), (policy.InitialThreads, policy.Limits.MinThreads, policy.Limits.MaxThreads));
        Assert.Null(policy.FirstLook);
        Assert.False(policy.CreatesAtEnqueue(State(1e6, 0, queued: Backlog, total: 7)));
        Assert.False(policy.AtGate(State(1e6, 0, queued: Backlog, total: 7)).Create);
        Assert.Equal(Timeout.InfiniteTimeSpan, policy.IdleTimeout(State(1e6, 0, queued: 0, total: 7, idle: 7)));
    }

    [Fact]
    public void An_instant_pool_has_a_thread_for_each_item_up_to_its_maximum()
    {
        var policy = new InstantPolicy();
        var created = Burst(policy, Limits(1000, 1000), TimeSpan.FromMinutes(1));

        Assert.Equal(1000, created.Count);
        Assert.All(created, at => Assert.Equal(TimeSpan.Zero, at));
        Assert.False(policy.CreatesAtEnqueue(State(0, 0, queued: 2, total: 5, idle: 2, max: 9)));
        Assert.True(policy.CreatesAtEnqueue(State(0, 0, queued: 3, total: 5, idle: 2, max: 9)));
    }

    /// <summary>Queues items without end at time 0 and goes from look to look.</summary>
    /// <returns>The time at which each thread was created.</returns>
    private static List<TimeSpan> Burst(IGrowthPolicy policy, Pools.PoolLimits limits, TimeSpan until)
    {
        var created = new List<TimeSpan>();
        PoolState At(TimeSpan now) => new(
            now, created.LastOrDefault(), Backlog - created.Count, created.Count, 0, limits.MinThreads, limits.MaxThreads);

        // The queue must not shrink between two looks, so an item that a new thread takes is queued again.
        PoolState Full(TimeSpan now) => At(now) with { Queued = Backlog };

        for (var i = 0; i < Backlog; i++)
        {
            if (policy.CreatesAtEnqueue(Full(TimeSpan.Zero)))
            {
                created.Add(TimeSpan.Zero);
            }
        }

        for (var now = policy.FirstLook; now <= until;)
        {
            var look = policy.AtGate(Full(now.Value));
            if (look.Create)
            {
                created.Add(now.Value);
            }

            Assert.True(look.Next > TimeSpan.Zero);
            now += look.Next;
        }

        return created;
    }

    private static Pools.PoolLimits Limits(int min, int max) => new(min, max);

    private static PoolState State(
        double nowMs, double lastMs, int queued, int total, int idle = 0, int min = 2, int max = 1000) =>
        new(TimeSpan.FromMilliseconds(nowMs), TimeSpan.FromMilliseconds(lastMs), queued, total, idle, min, max);
}
