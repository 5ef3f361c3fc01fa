namespace Poolscope.Look;

/// <summary>What one look may cost. A process that runs while it is read can show a list that never ends.</summary>
public sealed record LookLimits
{
    /// <summary>How many queued items are named; the queues' own indexes count the rest.</summary>
    public int Items { get; init; } = 20_000;

    public int Threads { get; init; } = 5_000;

    public int Timers { get; init; } = 20_000;

    public int Frames { get; init; } = 128;

    /// <summary>Gets the CPU time after which it begins nothing new: on a busy machine the clock runs on while nothing is done.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>CPU time for a dump: nothing waits in it, and some are large. A damaged one can keep the runtime's library busy for ever.</summary>
    public static readonly TimeSpan TimeOfDump = TimeSpan.FromSeconds(20);

    /// <summary>After which the look at a dump is ended in any case, such as on a slow disk.</summary>
    public static readonly TimeSpan LongestOfDump = TimeSpan.FromMinutes(3);

    /// <summary>Gets the time after which items are counted and no longer named: the stacks come after them.</summary>
    public TimeSpan Naming => Time * 0.6;
}
