namespace Poolscope.Look.Judging;

/// <summary>One or two views of a pool.</summary>
/// <param name="Second">The view a little later; null for a dump, or if it was not read.</param>
public sealed record PoolLook(PoolView First, PoolView? Second, bool IsDump)
{
    /// <summary>Gets the view with the fewer unread stacks: the first, unless its reader died while it read
    /// them.</summary>
    public PoolView Stacks => Second is { } second && second.NotRead < First.NotRead ? second : First;

    /// <summary>Gets the seconds between the two views.</summary>
    public double? Apart => Second?.Reading.Pool is { } later && First.Reading.Pool is { } before && later.AtMs > before.AtMs ? (later.AtMs - before.AtMs) / 1000.0 : null;

    /// <summary>Gets the number of items that ended between the two views; null: not known.</summary>
    public long? Ended => Second?.Reading.Pool?.Completed is { } later && First.Reading.Pool?.Completed is { } before && later >= before ? later - before : null;

    /// <summary>Gets whether items were taken between the two views; null: not known.</summary>
    public bool? Taken => Second?.Reading.Queues is { } later && First.Reading.Queues is { } before
        ? later.Queues.Any(queue => before.Queues.FirstOrDefault(same => same.Name == queue.Name)?.Taken != queue.Taken)
        : null;

    /// <summary>Gets the smaller of the two queue lengths: this many items were queued both times.</summary>
    public int Queued => Math.Min(First.Queued, Second?.Queued ?? int.MaxValue);

    /// <summary>Gets the milliseconds that an item waits at the rate at which items ended (Little's law); null: none
    /// ended, or not known.</summary>
    public double? WaitMs => Apart is { } seconds && Ended is { } ended and > 0 ? 1000 * Queued * seconds / ended : null;

    /// <summary>Gets whether the minimum or the maximum changed between the two views.</summary>
    public bool LimitsChanged => Second?.Reading.Pool is { } later && First.Reading.Pool is { } before && (later.Minimum, later.Maximum) != (before.Minimum, before.Maximum);
}
