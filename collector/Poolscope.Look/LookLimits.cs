namespace Poolscope.Look;

/// <summary>The limits of one look. A process that runs while it is read can show a list that never ends.</summary>
public sealed record LookLimits
{
    /// <summary>Gets the number of queued items to name. The queues' own indexes count the rest.</summary>
    public int Items { get; init; } = 20_000;

    public int Threads { get; init; } = 5_000;

    public int Timers { get; init; } = 20_000;

    public int Frames { get; init; } = 128;

    /// <summary>Gets the CPU time after which a look begins nothing new. It is not wall time, which passes on a busy
    /// machine while the look does nothing.</summary>
    public TimeSpan Time { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The CPU time for a dump: no process waits meanwhile, and some dumps are large. A damaged one can keep
    /// the runtime's library busy forever.</summary>
    public static readonly TimeSpan TimeOfDump = TimeSpan.FromSeconds(20);

    /// <summary>The time after which the look at a dump ends in any case, for example on a slow disk.</summary>
    public static readonly TimeSpan LongestOfDump = TimeSpan.FromMinutes(3);

    /// <summary>Gets the time after which items are counted but no longer named. It leaves time for the
    /// stacks.</summary>
    public TimeSpan Naming => Time * 0.6;
}
