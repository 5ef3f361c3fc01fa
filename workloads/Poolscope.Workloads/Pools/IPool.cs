namespace Poolscope.Workloads.Pools;

/// <summary>A thread pool for workloads: the runtime's own, or a reference pool. Disposing it drops queued items and
/// ends its threads once running items have ended; the runtime's own pool lives on.</summary>
public interface IPool : IDisposable
{
    /// <summary>Name of the pool for `--pool`.</summary>
    string Name { get; }

    /// <summary>Number of worker threads that exist now.</summary>
    int ThreadCount { get; }

    /// <summary>Number of work items that the pool has completed, including items of others.</summary>
    long CompletedItems { get; }

    /// <summary>Sets the limits that are not null. Returns the limits in force afterwards.</summary>
    /// <exception cref="PoolRefusedException">The pool does not accept the limits.</exception>
    PoolLimits Limit(int? minThreads, int? maxThreads);

    /// <summary>Queues a synchronous item: <paramref name="body"/> receives the item's number.</summary>
    void Queue(Action<int> body, int item);

    /// <summary>Queues the first part of an asynchronous item. Its continuations come back to this pool as further
    /// items, unless ConfigureAwait prevents it; the timers behind Task.Delay are the runtime's, on every
    /// pool.</summary>
    void QueueAsync(Func<int, Task> body, int item);

    /// <summary>Starts a timer. When it is due, its callback is queued to this pool and needs one of its
    /// threads.</summary>
    /// <param name="due">Time until the first callback.</param>
    /// <param name="period">Time from one callback to the next; Timeout.InfiniteTimeSpan for a single one.</param>
    /// <returns>Dispose it to stop the timer; callbacks that are already queued still run.</returns>
    IDisposable StartTimer(TimeSpan due, TimeSpan period, Action callback);
}

/// <summary>The limits in force, in threads.</summary>
/// <param name="Note">A necessary change that the user did not request, in one sentence; or null.</param>
public sealed record PoolLimits(int MinThreads, int MaxThreads, string? Note = null);

/// <summary>The pool did not accept its limits.</summary>
public sealed class PoolRefusedException(string message) : Exception(message);
