using Poolscope.Decode.Counters;
using Poolscope.Decode.Events;
using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Census;

/// <summary>The use of an event of a trace: the values of `used` in the table `event_counts`.</summary>
internal enum EventUse : byte
{
    Nothing,
    WorkItems,
    Pool,
    Waits,
    Tasks,
    Timers,
    Requests,
    Calls,
    Activities,
    Suspensions,
    Threads,
    Methods,
    Samples,
    Counters,
    Process,
    Kernel,
}

/// <summary>Maps the events of a trace to their uses. A test compares this list with what the decoder takes.</summary>
internal static class EventUses
{
    private const string Runtime = "Microsoft-Windows-DotNETRuntime";
    private const string Framework = "System.Diagnostics.Eventing.FrameworkEventSource";
    private const string EventPipe = "Microsoft-DotNETCore-EventPipe";
    private const string Profiler = "Microsoft-DotNETCore-SampleProfiler";
    private const string Tracepoints = "sched";
    private const string Universal = "Universal.Events";

    public static EventUse Of(EventKind kind) => (kind.Provider, kind.EventId) switch
    {
        (Framework, 30 or 31) => EventUse.WorkItems,
        (Framework, 150 or 151) => EventUse.Timers,
        ("System.Threading.Tasks.TplEventSource", >= 7 and <= 11) => EventUse.Tasks,
        (Runtime, 50 or 51 or 54 or 55 or 56 or 57 or 59) => EventUse.Pool,
        (Runtime, 81 or 91 or 301 or 302) => EventUse.Waits,
        (Runtime, 3 or 9) => EventUse.Suspensions,
        (Runtime, 85) => EventUse.Threads,
        (Runtime, 143 or 152 or 190) => EventUse.Methods,
        (Runtime, 187) => EventUse.Process,
        (ThreadEvents.RundownProvider, 144 or 150 or 154) => EventUse.Methods,
        (ThreadEvents.RundownProvider, 159) => EventUse.Threads,
        (ThreadEvents.RundownProvider, 187) => EventUse.Process,
        (EventPipe, 1) => EventUse.Process,
        (Profiler, 0) => EventUse.Samples,
        (CounterEvents.Provider, _) when kind.Name == CounterEvents.EventName => EventUse.Counters,
        ("Microsoft.AspNetCore.Hosting", 3 or 4) => EventUse.Requests,
        ("Microsoft-AspNetCore-Server-Kestrel", 3 or 4) => EventUse.Requests,
        ("System.Net.Http", 1 or 2 or 3 or 4 or 6 or 7 or 12 or 14 or 16) => EventUse.Calls,
        (KnownEvents.Activities, KnownEvents.ActivityStart or KnownEvents.ActivityStop) => EventUse.Activities,
        (EventDecoder.ReferencePoolName, _) => EventUse.WorkItems,
        (Tracepoints, _) when kind.Name is "sched_switch" or "sched_waking" or "sched_wakeup" or "sched_wakeup_new" or "sched_process_exit" => EventUse.Kernel,
        (Universal, _) when kind.Name == "cpu" => EventUse.Kernel,
        (KnownEvents.System, _) => EventUse.Methods,
        _ => EventUse.Nothing,
    };
}
