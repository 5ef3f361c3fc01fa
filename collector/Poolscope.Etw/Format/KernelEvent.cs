namespace Poolscope.Etw.Format;

/// <summary>The kernel's events that are examined, by what they tell.</summary>
public enum KernelEvent
{
    /// <summary>CSwitch.</summary>
    Switch,

    /// <summary>ReadyThread.</summary>
    Ready,

    /// <summary>SampledProfile.</summary>
    Sample,

    /// <summary>Thread DCStart and DCEnd: it existed when recording began, or ended.</summary>
    ThreadExists,

    /// <summary>Thread Start.</summary>
    ThreadStart,

    /// <summary>Thread End.</summary>
    ThreadEnd,

    /// <summary>Thread SetName.</summary>
    ThreadName,
}
