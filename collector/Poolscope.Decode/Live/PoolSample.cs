namespace Poolscope.Decode.Live;

/// <summary>The state of a watched pool at one moment. Times are CLOCK_MONOTONIC ns, durations ns.</summary>
/// <param name="NowNs">The watcher's own clock, which advances even while the target reports nothing.</param>
/// <param name="WaitNs">The longest wait of the items that began since the previous sample and, so far, of the items
/// that are still queued; 0 if nothing waits.</param>
/// <param name="Queue">Work items in all queues, by the runtime's counter; -1 if not reported yet.</param>
/// <param name="Threads">Worker threads, including idle ones, by the runtime's counter; -1 if not reported yet.</param>
/// <param name="Goal">The number of threads that the pool wants, which it reports on changes; -1 if not reported
/// yet.</param>
/// <param name="StarvationNs">When starvation last made the pool add a thread; -1 if not since watching began.</param>
/// <param name="SilentNs">The time since the target last reported anything.</param>
/// <param name="Lost">Events that the session dropped so far. Each loss discards the known waiting items.</param>
public readonly record struct PoolSample(
    long NowNs, long WaitNs, long Queue, int Threads, int Goal, long StarvationNs, long SilentNs, long Lost)
{
    /// <summary>ns. A request that stays longer in the application counts as a stream, such as a WebSocket, and is
    /// ignored.</summary>
    public const long LongestRequestNs = 300_000_000_000;

    /// <summary>The longest time in the application, ns, of the requests of ASP.NET Core that left it since the
    /// previous sample and, so far, of those that are still in it; 0 if there is none.</summary>
    public long RequestNs { get; init; }

    /// <summary>The longest time that a thread of the process was ready to run without a core, ns: per thread, the sum
    /// of the waits that ended within half a second. -1 if unknown.</summary>
    public long ReadyNs { get; init; } = -1;

    /// <summary>The longest wait of the items that began since the previous sample, by the events' own times, ns.
    /// <see cref="WaitNs"/> counts an item as queued until its dequeue arrives, up to 0.2 s late.</summary>
    public long BegunWaitNs { get; init; }

    /// <summary>Why the goal last changed, an index into pool_changes.reason; -1 if not since watching began.</summary>
    public int GoalReason { get; init; } = -1;

    /// <summary>When the goal last changed; -1 if not since watching began.</summary>
    public long GoalNs { get; init; } = -1;

    /// <summary>How often starvation made the pool add a thread since watching began.</summary>
    public long Starvations { get; init; }

    /// <summary>Work items that began since watching began; also 0 if the session does not record them.</summary>
    public long Begun { get; init; }
}
