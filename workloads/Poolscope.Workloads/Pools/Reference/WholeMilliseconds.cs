namespace Poolscope.Workloads.Pools.Reference;

/// <summary>Rounds waits up. Waits truncate to whole milliseconds: one of 0.9 ms would return at once, again and
/// again.</summary>
internal static class WholeMilliseconds
{
    public static int Up(TimeSpan time) => time == Timeout.InfiniteTimeSpan
        ? Timeout.Infinite
        : (int)Math.Clamp(Math.Ceiling(time.TotalMilliseconds), 0, int.MaxValue);
}
