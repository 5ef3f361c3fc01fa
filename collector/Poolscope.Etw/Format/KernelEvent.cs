namespace Poolscope.Etw.Format;

/// <summary>The kernel events that Poolscope reads.</summary>
public enum KernelEvent
{
    /// <summary>CSwitch.</summary>
    Switch,

    /// <summary>ReadyThread.</summary>
    Ready,

    /// <summary>SampledProfile.</summary>
    Sample,

    /// <summary>Thread DCStart and DCEnd: the thread existed when the recording began or ended.</summary>
    ThreadExists,

    /// <summary>Thread Start.</summary>
    ThreadStart,

    /// <summary>Thread End.</summary>
    ThreadEnd,

    /// <summary>Thread SetName.</summary>
    ThreadName,
}
