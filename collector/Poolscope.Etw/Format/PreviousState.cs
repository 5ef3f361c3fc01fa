namespace Poolscope.Etw.Format;

/// <summary>How a thread left its core, as the tables encode it: `switches.prev_state` is the Linux mask.</summary>
internal static class PreviousState
{
    /// <summary>Still runnable: preempted, or its quantum ended.</summary>
    public const int Runnable = 0;

    /// <summary>TASK_INTERRUPTIBLE: the thread waits. Windows has no counterpart of the other kinds of sleep.</summary>
    public const int Waiting = 0x1;

    /// <summary>EXIT_DEAD.</summary>
    public const int Dead = 0x10;

    /// <summary>Returns the Linux mask for a Windows state. A thread that is preempted, yields or ends its quantum goes
    /// to a ready queue (Ready), is handed to a core that will queue it (DeferredReady), or is already chosen to run
    /// next (Standby): all are runnable without a core. A thread never leaves as Running, but a damaged or foreign
    /// stream may say so, and then the thread did not sleep. In Transition a thread waits for its kernel stack to be
    /// paged in, so more cores would not help it. The numbers that later systems added (8 and up: gate and process
    /// swap-in) are waits as well.</summary>
    public static int Of(KernelThreadState state) => state switch
    {
        KernelThreadState.Terminated => Dead,
        KernelThreadState.Ready or KernelThreadState.Standby or KernelThreadState.DeferredReady
            or KernelThreadState.Running or KernelThreadState.Initialized => Runnable,
        _ => Waiting,
    };
}
