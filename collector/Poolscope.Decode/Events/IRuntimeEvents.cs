using Poolscope.Decode.Events.Web;

namespace Poolscope.Decode.Events;

/// <summary>The events of a runtime's pool and of the pool's threads, in order of time, freed of providers, ids and byte offsets.
/// Times are CLOCK_MONOTONIC ns, thread ids the OS's.</summary>
internal interface IRuntimeEvents :
    IWorkItemEvents,
    IPoolEvents,
    IReferencePoolEvents,
    ITimerEvents,
    ITaskEvents,
    IWaitEvents,
    ISuspensionEvents,
    IThreadEvents,
    ICounterEvents,
    IRequestEvents,
    ICallEvents,
    IActivityEvents;
