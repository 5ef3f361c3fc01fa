namespace Poolscope.Workloads.Pools.Reference.Growth;

/// <summary>A thread whenever a core is free: no item ever waits for the pool below its maximum. No pool of history; it is what
/// the attribution's world "the pool is never short of threads" looks like when it is run.</summary>
/// <remarks>A core becomes free when a running item blocks, and that only the kernel sees in time. So a thread is created
/// for every item that no idle thread can take, at once, and the kernel has one to run on each core that comes free.
/// The price: computing items share the cores among all threads instead of waiting for one, which is the same work in
/// another order, and more switches. As a pool it is one whose minimum is its maximum.</remarks>
public sealed class InstantPolicy : IGrowthPolicy
{
    /// <summary>The runtime's own default, the largest number of threads that it counts.</summary>
    public const int Largest = 32767;

    /// <summary>As long as the runtime's own pool keeps an idle thread.</summary>
    public static readonly TimeSpan KeepIdle = TimeSpan.FromSeconds(20);

    public PoolLimits Limits { get; } = new(Largest, Largest);

    public int InitialThreads => 0;

    public TimeSpan? FirstLook => null;

    public bool CreatesAtEnqueue(in PoolState pool) => pool.Idle < pool.Queued && pool.Total < pool.MaxThreads;

    public Look AtGate(in PoolState pool) => new(false, Timeout.InfiniteTimeSpan);

    public TimeSpan IdleTimeout(in PoolState pool) => KeepIdle;

    public int Kept(in PoolState pool) => 0;
}
