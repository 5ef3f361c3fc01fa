using Poolscope.Decode.Events.Web;

namespace Poolscope.Decode.Events;

/// <summary>Receives the events of a runtime's pool and of the pool's threads in order of time, without providers, ids
/// or byte offsets. Times are CLOCK_MONOTONIC ns, thread ids are the OS's.</summary>
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
