namespace Poolscope.Workloads.Pools.Reference.Growth;

/// <summary>The pool of .NET 3.5 (2.0 SP1): as many threads as processors at once, then one after ever longer gaps, up
/// to 250 per processor.</summary>
/// <remarks><para>Known: 250 threads per processor instead of 25, and growing gaps, which the press called a
/// "logarithmic backoff" (InfoQ, M. Kennedy and J. Julmar, 2008). The formula was never published.</para>
/// <para>Model: the (k+1)th thread beyond the processors comes 500 x 1.1^k ms after the previous one. This is the
/// shared source's formula (<see cref="RotorPolicy"/>). It fits "the first fifteen quick, then ever slower" and makes
/// the number of threads grow with the logarithm of time. Also uncertain: whether gaps were rounded up to a tick of the
/// gate. Here they are not: the gate sleeps exactly as long as the gap, which is the milder reading. Left out: a defect
/// of SP1, repaired in SP2, that added one thread per 500 ms below the minimum if items were queued in a tight
/// loop.</para></remarks>
public sealed class Net35Policy(int processors) : IGrowthPolicy
{
    public const int ThreadsPerProcessor = 250;

    public PoolLimits Limits { get; } = new(processors, ThreadsPerProcessor * processors);

    public int InitialThreads => 0;

    public TimeSpan? FirstLook => RotorPolicy.GatePeriod;

    public bool CreatesAtEnqueue(in PoolState pool) => pool.Total < pool.MinThreads && pool.Idle < pool.Queued;

    public Look AtGate(in PoolState pool)
    {
        if (pool.Queued == 0 || pool.Idle > 0 || pool.Total >= pool.MaxThreads)
        {
            return new Look(false, RotorPolicy.GatePeriod);
        }

        var missing = pool.LastCreation + Gap(pool.Total) - pool.Now;
        return missing > TimeSpan.Zero ? new Look(false, missing) : new Look(true, Gap(pool.Total + 1));
    }

    public TimeSpan IdleTimeout(in PoolState pool) => RotorPolicy.ShortIdleTimeout;

    public int Kept(in PoolState pool) => pool.MinThreads;

    private TimeSpan Gap(int total) => RotorPolicy.RequiredGap(total - processors);
}
