namespace Poolscope.Workloads.Pools.Reference.Growth;

/// <summary>Decides when a reference pool gets another thread. A policy uses only the states that it receives: it reads
/// no clock and starts no thread, so a test can step through minutes at once.</summary>
public interface IGrowthPolicy
{
    /// <summary>Default limits of the pool, in threads.</summary>
    PoolLimits Limits { get; }

    /// <summary>Number of threads that exist before the first item.</summary>
    int InitialThreads { get; }

    /// <summary>Time from the first item to the gate thread's first look; null if there is no gate thread.</summary>
    TimeSpan? FirstLook { get; }

    /// <summary>Returns whether to create a thread at once, right after an item has entered the queue.</summary>
    bool CreatesAtEnqueue(in PoolState pool);

    /// <summary>Returns the outcome of a look of the gate thread. The policy may remember the state.</summary>
    Look AtGate(in PoolState pool);

    /// <summary>Returns how long a thread that has just found the queue empty waits before it ends.</summary>
    TimeSpan IdleTimeout(in PoolState pool);

    /// <summary>Returns the number of threads that stay however long they are idle.</summary>
    int Kept(in PoolState pool);
}

/// <summary>The state of a pool, for its policy.</summary>
/// <param name="Now">Time on the pool's clock.</param>
/// <param name="LastCreation">Time at which the last thread was created, on the same clock; zero if none was.</param>
/// <param name="Queued">Number of items in the queue.</param>
/// <param name="Total">Number of threads that exist or are being started.</param>
/// <param name="Idle">Number of these threads that wait for an item.</param>
/// <param name="MinThreads">The limits in force, in threads.</param>
public readonly record struct PoolState(
    TimeSpan Now, TimeSpan LastCreation, int Queued, int Total, int Idle, int MinThreads, int MaxThreads)
{
    /// <summary>Number of threads that are not idle, including one that is only starting.</summary>
    public int Running => Total - Idle;
}

/// <summary>The outcome of a look of the gate thread.</summary>
/// <param name="Create">Whether to create one thread.</param>
/// <param name="Next">Time until the next look; positive.</param>
public readonly record struct Look(bool Create, TimeSpan Next);
