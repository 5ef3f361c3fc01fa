namespace Poolscope.Etw.Format;

/// <summary>How a thread left its core, in the terms of the tables: `switches.prev_state` is the Linux mask.</summary>
internal static class PreviousState
{
    /// <summary>Still runnable: preempted, or its quantum was over.</summary>
    public const int Runnable = 0;

    /// <summary>TASK_INTERRUPTIBLE: it waits. Windows has no counterpart of the other kinds of sleep.</summary>
    public const int Waiting = 0x1;

    /// <summary>EXIT_DEAD.</summary>
    public const int Dead = 0x10;

    /// <summary>A thread that is preempted, yields or ends its quantum goes to a ready queue (Ready), is handed to a core
    /// that will queue it (DeferredReady), or is already chosen to run next (Standby): all are runnable without a core.
    /// Running never leaves, but a damaged or foreign stream may say so, and then it did not sleep. Transition waits for its
    /// kernel stack to be paged in, so more cores would not help it; the numbers that later systems added (8 and up: gate
    /// and process swap-in) are waits as well.</summary>
    public static int Of(KernelThreadState state) => state switch
    {
        KernelThreadState.Terminated => Dead,
        KernelThreadState.Ready or KernelThreadState.Standby or KernelThreadState.DeferredReady
            or KernelThreadState.Running or KernelThreadState.Initialized => Runnable,
        _ => Waiting,
    };
}
