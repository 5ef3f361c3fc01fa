namespace Poolscope.Decode.WorkItems;

/// <summary>When the pool's goal was last lowered: only then does a worker stop and move its local items.</summary>
internal sealed class GoalHistory
{
    private int _goal = -1;

    /// <summary>-1: never in this capture.</summary>
    public long LastLowered { get; private set; } = -1;

    public void Goal(long time, int goal)
    {
        // What held before the first change is unknown to a late attach: it may have been more.
        if (_goal < 0 || goal < _goal)
        {
            LastLowered = time;
        }

        _goal = goal;
    }

    /// <summary>A maximum below the goal lowers the goal without an adjustment event.</summary>
    public void Maximum(long time, int max)
    {
        if (_goal > max)
        {
            Goal(time, max);
        }
    }
}
