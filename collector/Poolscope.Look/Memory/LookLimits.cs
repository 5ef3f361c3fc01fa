namespace Poolscope.Look.Memory;

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

    /// <summary>Gets the time after which items are counted and no longer named: the stacks come after them.</summary>
    public TimeSpan Naming => Time * 0.6;
}
