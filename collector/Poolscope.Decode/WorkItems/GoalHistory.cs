namespace Poolscope.Decode.WorkItems;

/// <summary>The time at which the pool's goal was last lowered. Only then does a worker stop and move its local
/// items.</summary>
internal sealed class GoalHistory
{
    private int _goal = -1;

    /// <summary>Time of the last reduction, ns; -1 if there was none in this capture.</summary>
    public long LastLowered { get; private set; } = -1;

    public void Goal(long time, int goal)
    {
        // After a late attach the goal before the first change is unknown, and may have been higher.
        if (_goal < 0 || goal < _goal)
        {
            LastLowered = time;
        }

        _goal = goal;
    }

    /// <summary>Records a maximum. A maximum below the goal lowers the goal without an adjustment event.</summary>
    public void Maximum(long time, int max)
    {
        if (_goal > max)
        {
            Goal(time, max);
        }
    }
}
