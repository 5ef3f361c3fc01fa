namespace Poolscope.Workloads.Pools.Reference.Growth;

/// <summary>The pool of the shared-source CLR, version 1 of November 2002 ("Rotor"; its win32threadpool.cpp). It starts
/// as many threads as processors at once. Beyond that, a gate thread looks every half second and creates one if the
/// queue has not shrunk since and the last creation is more than 500 x 1.1^k ms ago, with k threads beyond the
/// processors.</summary>
/// <remarks><para>Uncertain: whether the shipped CLR of the time used this branch, which the source calls the one for
/// systems without a CPU counter; and whether a thread that is only starting counts as running. Here it counts from its
/// creation, because otherwise a burst would create a thread for each item. Left out: no thread was created at an
/// enqueue while a collection was in progress (a pool cannot see that), the coarse tick of the clock of Windows, and
/// that an enqueue woke every idle thread. Version 2 checks total instead of running threads, and that no thread is
/// idle.</para>
/// <para>Only the host could set limits. Any caller can here, because the experiments need them.</para></remarks>
public sealed class RotorPolicy(int processors) : IGrowthPolicy
{
    public const int ThreadsPerProcessor = 25;

    /// <summary>The ratio of each gap to the one before.</summary>
    public const double GapGrowth = 1.1;

    /// <summary>The queued items per running thread from which an idle thread waits longer.</summary>
    private const int DeepQueue = 7;

    public static readonly TimeSpan GatePeriod = TimeSpan.FromMilliseconds(500);

    public static readonly TimeSpan ShortIdleTimeout = TimeSpan.FromSeconds(40);

    /// <summary>Twice the short timeout and a second.</summary>
    public static readonly TimeSpan LongIdleTimeout = (2 * ShortIdleTimeout) + TimeSpan.FromSeconds(1);

    /// <summary>The longest gap. The formula reaches it at 127 extra threads; from 297 on, its gaps would not fit a
    /// TimeSpan.</summary>
    public static readonly TimeSpan LongestGap = TimeSpan.FromDays(1);

    private int _queuedBefore;

    public PoolLimits Limits { get; } = new(processors, ThreadsPerProcessor * processors);

    public int InitialThreads => 0;

    public TimeSpan? FirstLook => GatePeriod;

    /// <summary>Returns the time that must have passed since the last creation.</summary>
    /// <param name="extra">Threads beyond the processors; below 0 counts as 0.</param>
    public static TimeSpan RequiredGap(int extra)
    {
        var growth = Math.Pow(GapGrowth, Math.Max(0, extra));
        return growth < LongestGap / GatePeriod ? GatePeriod * growth : LongestGap;
    }

    public bool CreatesAtEnqueue(in PoolState pool) =>
        pool.Running < pool.MinThreads && pool.Idle < pool.Queued && pool.Total < pool.MaxThreads;

    public Look AtGate(in PoolState pool) => new(IsDue(pool), GatePeriod);

    public TimeSpan IdleTimeout(in PoolState pool) =>
        pool.Queued >= DeepQueue * (pool.Running - 1) ? LongIdleTimeout : ShortIdleTimeout;

    public int Kept(in PoolState pool) => pool.MinThreads;

    private bool IsDue(in PoolState pool)
    {
        if (pool.Queued == 0 || pool.Total >= pool.MaxThreads)
        {
            return false;
        }

        var before = _queuedBefore;
        _queuedBefore = pool.Queued;
        return pool.Queued >= before && pool.Now - pool.LastCreation > RequiredGap(pool.Total - processors);
    }
}
