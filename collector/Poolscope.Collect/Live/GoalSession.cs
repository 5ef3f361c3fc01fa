using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.EventPipe;
using Poolscope.Collect.Facts;
using Poolscope.Decode.Watching;

namespace Poolscope.Collect.Live;

/// <summary>Asks a pool how many threads it wants, and why, while items wait. A pool whose workers go idle has an event for each
/// time that one does, which costs the process more than all the rest; a pool with a full queue has none of these.</summary>
/// <param name="open">Opens a session with the pool's events.</param>
internal sealed class GoalSession(Func<Task<EventPipeSession>> open) : IAsyncDisposable
{
    /// <summary>A queue that was full for so long is asked about: a healthy one is full for a moment.</summary>
    public const double LeastQueuedS = 0.9;

    /// <summary>It is asked on for so long after the queue is empty: a starved pool recovers by fits and starts.</summary>
    private static readonly TimeSpan Linger = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan StopTimeout = TimeSpan.FromSeconds(5);

    private EventPipeSession? _session;
    private PoolFollower? _follower;
    private Task _changing = Task.CompletedTask;
    private long _neededNs;
    private long _before;

    /// <summary>To be called about once a second.</summary>
    /// <param name="queuedS">For how long the queue has been full; null: not known.</param>
    /// <returns>The sample with what the pool told of its goal.</returns>
    public PoolSample Look(in PoolSample sample, double? queuedS)
    {
        _neededNs = queuedS >= LeastQueuedS ? sample.NowNs : _neededNs;
        var needed = _neededNs > 0 && sample.NowNs - _neededNs < Linger.TotalNanoseconds;
        if (_changing.IsCompleted && needed != _follower is not null)
        {
            _changing = needed ? OpenAsync() : CloseAsync();
        }

        if (_follower is not { } follower)
        {
            return sample with { Starvations = _before };
        }

        var told = follower.Sample(sample.NowNs);
        return sample with
        {
            Goal = told.Goal,
            GoalReason = told.GoalReason,
            GoalNs = told.GoalNs,
            StarvationNs = told.StarvationNs,
            Starvations = _before + told.Starvations,
            Lost = sample.Lost + told.Lost,
        };
    }

    /// <summary>Whether the pool is asked now.</summary>
    public bool IsOpen => _follower is not null;

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
        }
        catch (Exception e) when (DiagnosticErrors.IsExpected(e))
        {
            // The goal stays unknown; the next second tries again.
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
            // The process is gone or hangs; a session whose reader is gone ends by itself.
        }

        session.Dispose();
    }
}
