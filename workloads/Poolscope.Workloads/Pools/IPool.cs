namespace Poolscope.Workloads.Pools;

/// <summary>A thread pool that a workload runs on: the runtime's own, or a reference pool. Disposing it ends its threads
/// once the items that run have ended, and drops what is queued; the runtime's own pool lives on.</summary>
public interface IPool : IDisposable
{
    /// <summary>What `--pool` calls it.</summary>
    string Name { get; }

    /// <summary>Number of worker threads that exist now.</summary>
    int ThreadCount { get; }

    /// <summary>Work items that it has completed, the workload's and any others.</summary>
    long CompletedItems { get; }

    /// <summary>Sets the limits that are not null and answers with what holds afterwards.</summary>
    /// <exception cref="PoolRefusedException">The pool does not accept them.</exception>
    PoolLimits Limit(int? minThreads, int? maxThreads);

    /// <summary>Queues a synchronous item: <paramref name="body"/> gets the item's number.</summary>
    void Queue(Action<int> body, int item);

    /// <summary>Queues the first part of an asynchronous item. What it awaits comes back to this pool as further items,
    /// unless it was told not to (ConfigureAwait); the timers behind Task.Delay are the runtime's, on every pool.</summary>
    void QueueAsync(Func<int, Task> body, int item);

    /// <summary>Starts a timer whose callback, when due, is queued to this pool and needs one of its threads.</summary>
    /// <param name="due">From now to the first callback.</param>
    /// <param name="period">From one to the next; Timeout.InfiniteTimeSpan: there is one only.</param>
    /// <returns>Dispose it to stop the timer; callbacks that are queued already still run.</returns>
    IDisposable StartTimer(TimeSpan due, TimeSpan period, Action callback);
}

/// <summary>The limits in force, in threads.</summary>
/// <param name="Note">What had to be done to get there that the user did not ask for, in one sentence; or null.</param>
public sealed record PoolLimits(int MinThreads, int MaxThreads, string? Note = null);

/// <summary>The pool did not accept its limits.</summary>
public sealed class PoolRefusedException(string message) : Exception(message);
