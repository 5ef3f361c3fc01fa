namespace Poolscope.Workloads.Pools.Reference.Growth;

/// <summary>The pool of .NET 1.1: as many threads as processors at once, then one every half second while items are
/// queued and no thread is idle, up to 25 per processor.</summary>
/// <remarks><para>Known: "one every 500 milliseconds until it hits its upper limit" (M. Kennedy, 2008; J. Julmar says
/// the same); 25 threads per processor (documentation of .NET 1.1 and 2.0).</para>
/// <para>Uncertain: whether the gate skipped a look at a shrinking queue, as the shared source of the time does
/// (<see cref="RotorPolicy"/>). This is left out, because no description of the shipped product has it. The idle
/// timeout is the shared source's. A minimum could not be set before a hotfix of late 2002 (KB 810259), and only the
/// host could set a maximum. Both can be set here, because the experiments need them.</para></remarks>
public sealed class Net11Policy(int processors) : IGrowthPolicy
{
    public const int ThreadsPerProcessor = 25;

    public static readonly TimeSpan GatePeriod = TimeSpan.FromMilliseconds(500);

    public PoolLimits Limits { get; } = new(processors, ThreadsPerProcessor * processors);

    public int InitialThreads => 0;

    public TimeSpan? FirstLook => GatePeriod;

    public bool CreatesAtEnqueue(in PoolState pool) => pool.Total < pool.MinThreads && pool.Idle < pool.Queued;

    public Look AtGate(in PoolState pool) =>
        new(pool.Queued > 0 && pool.Idle == 0 && pool.Total < pool.MaxThreads, GatePeriod);

    public TimeSpan IdleTimeout(in PoolState pool) => RotorPolicy.ShortIdleTimeout;

    public int Kept(in PoolState pool) => pool.MinThreads;
}
