namespace Poolscope.Collect.Commands.Collecting;

/// <summary>The values of --kernel.</summary>
public enum KernelChoice
{
    /// <summary>The best available tier. Without one, the capture goes on and says so.</summary>
    Auto,

    /// <summary>Scheduler tracepoints on all CPUs; fails if unavailable.</summary>
    Tracepoint,

    /// <summary>Context switches of the target's own threads; fails if unavailable.</summary>
    Switch,

    /// <summary>Polled counters of the target's own threads; fails if unavailable.</summary>
    Schedstat,

    /// <summary>The Windows kernel's events of all processes, in one session with the runtime's events.</summary>
    Etw,

    /// <summary>No kernel stream.</summary>
    None,
}
