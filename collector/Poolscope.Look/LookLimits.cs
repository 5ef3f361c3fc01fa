namespace Poolscope.Look;

/// <summary>What one look may cost. A process that runs while it is read can show a list that never ends.</summary>
public sealed record LookLimits
{
    /// <summary>How many queued items are named; the queues' own indexes count the rest.</summary>
    public int Items { get; init; } = 20_000;

    public int Threads { get; init; } = 2_000;

    public int Frames { get; init; } = 64;

    public int Timers { get; init; } = 10_000;

    /// <summary>Objects of a dump's heap that are visited for async methods.</summary>
    public int Objects { get; init; } = 2_000_000;

    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(2);
}
