namespace Poolscope.Workloads.Pools.Reference.Growth;

/// <summary>When a reference pool gets another thread. A policy decides from what it is shown and from nothing else: it
/// reads no clock and starts no thread, so a test walks it through minutes at once.</summary>
public interface IGrowthPolicy
{
    /// <summary>Limits of a pool that nobody limited, in threads.</summary>
    PoolLimits Limits { get; }

    /// <summary>Threads that exist before the first item.</summary>
    int InitialThreads { get; }

    /// <summary>From the first item to the gate thread's first look; null: there is no gate thread.</summary>
    TimeSpan? FirstLook { get; }

    /// <summary>An item has just entered the queue: whether a thread is created at once.</summary>
    bool CreatesAtEnqueue(in PoolState pool);

    /// <summary>The gate thread looks. May remember what it saw.</summary>
    Look AtGate(in PoolState pool);

    /// <summary>How long a thread that has just found the queue empty waits before it ends.</summary>
    TimeSpan IdleTimeout(in PoolState pool);

    /// <summary>Threads that stay however long they are idle.</summary>
    int Kept(in PoolState pool);
}

/// <summary>What a policy is shown.</summary>
/// <param name="Now">Time on the pool's clock.</param>
/// <param name="LastCreation">When the last thread was created, on the same clock; zero: none was.</param>
/// <param name="Queued">Items in the queue.</param>
/// <param name="Total">Threads that exist or are being started.</param>
/// <param name="Idle">Of these, threads that wait for an item.</param>
/// <param name="MinThreads">The limits that hold, in threads.</param>
public readonly record struct PoolState(
    TimeSpan Now, TimeSpan LastCreation, int Queued, int Total, int Idle, int MinThreads, int MaxThreads)
{
    /// <summary>Threads that are not idle, one that is only starting among them.</summary>
    public int Running => Total - Idle;
}

/// <summary>What comes of a look of the gate thread.</summary>
/// <param name="Create">One thread is created.</param>
/// <param name="Next">From now to the next look; positive.</param>
public readonly record struct Look(bool Create, TimeSpan Next);
