namespace Poolscope.Workloads.Pools.Reference.Growth;

/// <summary>Creates all threads up front, adds none and ends none. This is the design of S. Toub's ManagedThreadPool
/// sample (MSDN, 2003 and 2004): one FIFO queue, a counting semaphore, no view of the CPU, no priorities. Its widely
/// copied revision has 10 threads; other copies have 15 or more, and the number of the article itself is unknown, so
/// the caller chooses it.</summary>
public sealed class FixedPolicy(int threads) : IGrowthPolicy
{
    public PoolLimits Limits { get; } = new(threads, threads);

    public int InitialThreads => threads;

    public TimeSpan? FirstLook => null;

    public bool CreatesAtEnqueue(in PoolState pool) => false;

    public Look AtGate(in PoolState pool) => new(false, Timeout.InfiniteTimeSpan);

    public TimeSpan IdleTimeout(in PoolState pool) => Timeout.InfiniteTimeSpan;

    public int Kept(in PoolState pool) => threads;
}
