namespace Poolscope.Decode.Live;

/// <summary>What a watched pool is like at a moment. Times are CLOCK_MONOTONIC ns, durations ns.</summary>
/// <param name="NowNs">The watcher's own clock: time passes also while the target shows nothing.</param>
/// <param name="WaitNs">Longest wait: of the items that began since the sample before, and so far of those that are still
/// queued. 0: nothing waits.</param>
/// <param name="Queue">Work items in all queues, by the runtime's counter; -1: not reported yet.</param>
/// <param name="Threads">Worker threads, idle ones too, by the runtime's counter; -1: not reported yet.</param>
/// <param name="Goal">How many threads the pool wants; -1: not reported yet, for it is told when it changes.</param>
/// <param name="StarvationNs">When the pool last added a thread because of starvation; -1: never since it is watched.</param>
/// <param name="SilentNs">Since when the target has told nothing.</param>
/// <param name="Lost">Events that the session dropped so far. What was known of waiting items is forgotten with each loss.</param>
public readonly record struct PoolSample(
    long NowNs, long WaitNs, long Queue, int Threads, int Goal, long StarvationNs, long SilentNs, long Lost)
{
    /// <summary>A request that has been in the application for longer is taken for a stream, such as a WebSocket, and does not
    /// count. ns.</summary>
    public const long LongestRequestNs = 300_000_000_000;

    /// <summary>Longest time in the application, ns: of the requests of ASP.NET Core that left it since the sample before, and so
    /// far of those that are still in it. 0: there is none.</summary>
    public long RequestNs { get; init; }

    /// <summary>How long the process's threads were ready to run and had no core, ns: of each the waits that ended within half a
    /// second, and of these sums the greatest. -1: not known.</summary>
    public long ReadyNs { get; init; } = -1;

    /// <summary>Longest wait of the items that began since the sample before, ns: by the events' own times, where <see cref="WaitNs"/>
    /// takes an item for queued until its dequeue has come, up to a fifth of a second late.</summary>
    public long BegunWaitNs { get; init; }

    /// <summary>Why the goal last changed: index into pool_changes.reason; -1: it has not since the pool is watched.</summary>
    public int GoalReason { get; init; } = -1;

    /// <summary>When the goal last changed; -1: not since the pool is watched.</summary>
    public long GoalNs { get; init; } = -1;

    /// <summary>How often the pool has added a thread because of starvation, since it is watched.</summary>
    public long Starvations { get; init; }

    /// <summary>Work items that began since the pool is watched; 0 too where the session does not ask for them.</summary>
    public long Begun { get; init; }
}
