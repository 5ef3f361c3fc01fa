namespace Poolscope.Collect.Commands.Collecting;

/// <summary>--kernel.</summary>
public enum KernelChoice
{
    /// <summary>The best that can be had; without any, the capture goes on and says so.</summary>
    Auto,

    /// <summary>Scheduler tracepoints on all CPUs, or no capture.</summary>
    Tracepoint,

    /// <summary>Switches of the target's own threads, or no capture.</summary>
    Switch,

    /// <summary>Counters of the target's own threads, polled, or no capture.</summary>
    Schedstat,

    /// <summary>Windows: the kernel's events of all processes, in one session with the runtime's.</summary>
    Etw,

    /// <summary>No kernel stream.</summary>
    None,
}
