using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Live;
using Xunit;

namespace Poolscope.Collect.Tests.Live;

public sealed class GoalSessionTests
{
    private const long Second = 1_000_000_000;

    private int _opened;

    [Fact]
    public async Task A_pool_is_asked_only_while_items_wait()
    {
        await using var session = new GoalSession(Refuse);
        foreach (var queued in new double?[] { null, 0, 0.5 })
        {
            Assert.Null(session.Look(PoolStates.Observed with { QueuedS = queued }, 1 * Second).Starvations);
        }

        Assert.Equal(0, _opened);
        _ = session.Look(PoolStates.Observed with { QueuedS = 1 }, 2 * Second);
        Assert.Equal(1, _opened);
    }

    [Fact]
    public async Task A_process_that_refuses_is_asked_again_for_half_a_minute()
    {
        await using var session = new GoalSession(Refuse);
        var queued = PoolStates.Observed with { QueuedS = 1, Goal = null };
        Assert.Null(session.Look(queued, 2 * Second).Goal);
        _ = session.Look(queued with { QueuedS = 0 }, 31 * Second);
        Assert.Equal(2, _opened);
        _ = session.Look(queued with { QueuedS = 0 }, 33 * Second);
        Assert.Equal(2, _opened);
    }

    private Task<EventPipeSession> Refuse()
    {
        _opened++;
        throw new IOException("refused");
    }
}
