using Poolscope.Collect.Live;

namespace Poolscope.Collect.Tests.Live;

/// <summary>Pool states for tests.</summary>
internal static class PoolStates
{
    public static readonly DateTime Time = new(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc);

    /// <summary>A watched process during a starvation.</summary>
    public static PoolState Starved { get; } = new(Time, WatchPhase.Recording)
    {
        Pid = 4711,
        Name = "app",
        Runtime = ".NET 10.0.12",
        UptimeS = 3 * 3600,
        Terms = [new TermState("wait>5s", false), new TermState("starvation", true)],
        Holds = true,
        WaitS = 3.2,
        QueuedS = 4,
        Queue = 1234,
        Threads = 14,
        Goal = 15,
        GoalReason = "Starvation",
        GoalAgeS = 0.4,
        Starvations = 7,
        Cpu = new CpuTime(12.5, 3.25),
        Cores = 0.31,
        Begun = 1000,
        BegunPerS = 2,
        Completed = 990,
        CompletedPerS = 1.5,
        Timers = 3,
        SilentS = 0.1,
        Lost = 0,
        HistoryS = 62,
        Bytes = 15L << 20,
        MaxBytes = 4L << 30,
        Captures = 2,
        Keep = 5,
        Tally = new Tally(3, 2, 1, 4),
        Minute = [new Moment(null, null, null), new Moment(0, 0, 6), new Moment(3.2, 1234, 14), new Moment(1, 5, 14)],
        Notes = [new Note(Time, "wait>5s: fired", Alarm: false), new Note(Time, "the disk is full", Alarm: true)],
    };

    /// <summary>The same without the values that `top` does not request.</summary>
    public static PoolState Observed { get; } = Starved with
    {
        Phase = WatchPhase.Observing,
        Terms = [],
        Holds = null,
        WaitS = null,
        Begun = null,
        BegunPerS = null,
        HistoryS = null,
        Bytes = null,
        MaxBytes = null,
        Captures = null,
        Keep = null,
        Notes = [],
    };

    /// <summary>A process that has reported nothing.</summary>
    public static PoolState Unknown { get; } = new(Time, WatchPhase.Watching) { Pid = 4711, Name = "app" };
}
