using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Decode.Live;

namespace Poolscope.Collect.Live;

/// <summary>Reads a pool's goal, the number of threads that it wants, and the reason for it, while items wait. A pool
/// with idle workers logs an event each time one becomes idle, which costs the process more than all other events. A
/// pool with a full queue logs none of these.</summary>
/// <param name="open">Opens a session with the pool's events.</param>
internal sealed class GoalSession(Func<Task<EventPipeSession>> open) : IAsyncDisposable
{
    /// <summary>The least time with queued items before a session opens: a healthy queue empties in a moment.</summary>
    public const double LeastQueuedS = 0.9;

    /// <summary>The time a session outlasts the queue: a starved pool recovers by fits and starts.</summary>
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(5);

    private EventPipeSession? _session;
    private PoolFollower? _follower;
    private Task _changing = Task.CompletedTask;
    private long _neededNs;
    private long _before;
    private bool _asked;

    /// <summary>Opens or closes the session and adds the goal to a state. The caller calls it each second or
    /// so.</summary>
    /// <param name="nowNs">The time in CLOCK_MONOTONIC ns, not before that of the previous call.</param>
    /// <returns>The state with the goal that the pool reported.</returns>
    public PoolState Look(PoolState state, long nowNs)
    {
        _neededNs = state.QueuedS >= LeastQueuedS ? nowNs : _neededNs;
        var needed = _neededNs > 0 && nowNs - _neededNs < Linger.TotalNanoseconds;
        if (_changing.IsCompleted && needed != _follower is not null)
        {
            _changing = needed ? OpenAsync() : CloseAsync();
        }

        if (_follower is not { } follower)
        {
            return state with { Starvations = _asked ? _before : null };
        }

        var told = follower.Sample(nowNs);
        return state with
        {
            Goal = told.Goal < 0 ? null : told.Goal,
            GoalReason = GoalReasons.Name(told.GoalReason),
            GoalAgeS = told.GoalNs < 0 ? null : Math.Max(0, Math.Round((nowNs - told.GoalNs) / 1e9, 3)),
            Starvations = _before + told.Starvations,
            Lost = state.Lost + told.Lost,
        };
    }

    public async ValueTask DisposeAsync()
    {
        await _changing.ConfigureAwait(false);
        await CloseAsync().ConfigureAwait(false);
    }

    private async Task OpenAsync()
    {
        try
        {
            _session = await open().ConfigureAwait(false);
            _follower = new PoolFollower(_session.EventStream, MonotonicClock.NowNs);
            _asked = true;
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // The goal stays unknown. The next call tries again.
        }
    }

    private async Task CloseAsync()
    {
        if (_session is not { } session || _follower is not { } follower)
        {
            return;
        }

        _before += follower.Sample(MonotonicClock.NowNs).Starvations;
        (_session, _follower) = (null, null);
        await EndAsync(session, follower.Ended).ConfigureAwait(false);
    }

    /// <summary>Ends a session and waits for its last events.</summary>
    public static async Task EndAsync(EventPipeSession session, Task ended)
    {
        try
        {
            using var cancel = new CancellationTokenSource(StopTimeout);
            await session.StopAsync(cancel.Token).WaitAsync(StopTimeout).ConfigureAwait(false);
            await ended.WaitAsync(StopTimeout).ConfigureAwait(false);
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // The process is gone or hangs. A session whose reader is gone ends by itself.
        }

        session.Dispose();
    }
}
