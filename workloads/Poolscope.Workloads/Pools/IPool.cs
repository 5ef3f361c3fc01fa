namespace Poolscope.Workloads.Pools;

/// <summary>A thread pool that a workload runs on: the runtime's own, or a reference pool.</summary>
public interface IPool
{
    /// <summary>Number of worker threads that exist now.</summary>
    int ThreadCount { get; }

    /// <summary>Work items that it has completed, the workload's and any others.</summary>
    long CompletedItems { get; }

    /// <summary>Sets the limits that are not null and answers with what holds afterwards.</summary>
    /// <exception cref="PoolRefusedException">The pool does not accept them.</exception>
    PoolLimits Limit(int? minThreads, int? maxThreads);

    /// <summary>Queues a synchronous item: <paramref name="body"/> gets the item's number.</summary>
    void Queue(Action<int> body, int item);

    /// <summary>Queues the first part of an asynchronous item; how it goes on is the item's own affair.</summary>
    void QueueAsync(Func<int, Task> body, int item);
}

/// <summary>The limits in force, in threads.</summary>
/// <param name="Note">What had to be done to get there that the user did not ask for, in one sentence; or null.</param>
public sealed record PoolLimits(int MinThreads, int MaxThreads, string? Note = null);

/// <summary>The pool did not accept its limits.</summary>
public sealed class PoolRefusedException(string message) : Exception(message);
