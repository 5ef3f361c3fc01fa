namespace Poolscope.Workloads.Pools.Reference.Growth;

/// <summary>Provides a thread whenever a core is free: no item ever waits for the pool below its maximum. No historical
/// pool did this. It runs the attribution's world "the pool is never short of threads".</summary>
/// <remarks>A core becomes free when a running item blocks, which only the kernel sees in time. So the policy creates a
/// thread at once for every item that no idle thread can take, and the kernel has one to run on each core that becomes
/// free. The price: computing items share the cores among all threads instead of waiting for one, which is the same
/// work in another order, and more switches. Such a pool's minimum is its maximum.</remarks>
public sealed class InstantPolicy : IGrowthPolicy
{
    /// <summary>The runtime's own default maximum, the largest number of threads that it counts.</summary>
    public const int Largest = 32767;

    /// <summary>The time for which the runtime's own pool keeps an idle thread.</summary>
    public static readonly TimeSpan KeepIdle = TimeSpan.FromSeconds(20);

    public PoolLimits Limits { get; } = new(Largest, Largest);

    public int InitialThreads => 0;

    public TimeSpan? FirstLook => null;

    public bool CreatesAtEnqueue(in PoolState pool) => pool.Idle < pool.Queued && pool.Total < pool.MaxThreads;

    public Look AtGate(in PoolState pool) => new(false, Timeout.InfiniteTimeSpan);

    public TimeSpan IdleTimeout(in PoolState pool) => KeepIdle;

    public int Kept(in PoolState pool) => 0;
}
