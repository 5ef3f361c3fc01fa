namespace Poolscope.PerfEvents;

/// <summary>The error if the kernel does not let this process record the scheduler. A capture continues without it and
/// quotes both texts.</summary>
public sealed class SchedulerRefusedException : Exception
{
    public SchedulerRefusedException(string why, string how)
        : base(why)
    {
        Why = why;
        How = how;
    }

    /// <summary>What was refused: the call, errno, and the setting that decides.</summary>
    public string Why { get; }

    /// <summary>What would allow it.</summary>
    public string How { get; }
}
