using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Decode.Counters;
using Poolscope.Etw.Capture;
using static Poolscope.Etw.Capture.RuntimeEvents;

namespace Poolscope.Collect.EventPipe;

/// <summary>The events that each EventPipe session requests. Stacks belong to a session, not to an event, and are most
/// of the cost, so two sessions record at the same time. .NET 8 puts stacks on every session.</summary>
public static class SessionPlan
{
    public const string RuntimeFile = "runtime.nettrace";
    public const string WaitsFile = "waits.nettrace";
    public const string SymbolsFile = "symbols.nettrace";
    public const string SnapshotsFolder = "snapshots";

    private const string SampleProfiler = "Microsoft-DotNETCore-SampleProfiler";

    /// <summary>The keywords of a rundown by default.</summary>
    private const long DefaultRundown = 0x8002_0139;

    /// <summary>The buffer of the symbols session, in MB. The session records only the rundown.</summary>
    private const int SymbolsBufferMb = 64;

    /// <summary>The buffer of a snapshot, in MB. A thread's stack takes some hundred bytes.</summary>
    private const int SnapshotBufferMb = 4;

    /// <summary>SignalR's ActivitySource. Every call of a hub method is an activity of the same name.</summary>
    private const string HubCalls = "Microsoft.AspNetCore.SignalR.Server";

    /// <summary>The buffer of the counters, in MB. The counters of a beat take some kilobytes.</summary>
    private const int CountersBufferMb = 1;

    /// <summary>Returns the session of work items, pool, tasks, suspensions, threads, waits, web requests and
    /// HttpClient's calls.</summary>
    /// <param name="stacks">Whether the runtime cannot leave stacks out. The runtime's own provider is Verbose for hill
    /// climbing's statistics and WaitHandle waits. Before .NET 9 there are no such waits, and the runtime would walk
    /// the stacks of allocations, which are Verbose too: there the provider is Informational.</param>
    /// <param name="requests">Whether to record web requests and HttpClient's calls. A process without either has no
    /// such events and pays nothing for them.</param>
    /// <param name="activities">The names of the ActivitySources whose activities are recorded; `*` means all.</param>
    /// <param name="countersBeat">The time between two readings of the runtime's counters, or null if a separate
    /// session reads them.</param>
    public static EventPipeSessionConfiguration Runtime(
        int bufferMb, bool stacks, bool requests, IReadOnlyList<string> activities, TimeSpan? countersBeat = null) => new(
        [
            new EventPipeProvider(Clr, stacks ? EventLevel.Informational : EventLevel.Verbose, Gc | Contention | Threading | ThreadTransfer | WaitHandles),
            new EventPipeProvider(Framework, EventLevel.Verbose, FrameworkKeywords),
            new EventPipeProvider(Tpl, EventLevel.Informational, TplKeywords | (requests || activities.Count > 0 ? ActivityFlow : 0)),
            new EventPipeProvider(ReferencePool, EventLevel.Verbose, ReferencePoolKeywords),
            .. requests ? EtwPlan.RequestProviders.Select(name => new EventPipeProvider(name, EventLevel.Informational)) : [],
            .. activities.Count > 0 ? [OfActivities(activities)] : Array.Empty<EventPipeProvider>(),
            .. countersBeat is { } beat ? [OfCounters(beat)] : Array.Empty<EventPipeProvider>(),
        ],
        bufferMb,
        requestRundown: false,
        requestStackwalk: stacks);

    // Propagate: activities that exist only because of this session are not marked as sampled, so no other service
    // records more than it otherwise would. The minus leaves out the fields that the provider adds by default, such as
    // tags. SignalR puts the hub and its method into the display name alone.
    private static EventPipeProvider OfActivities(IReadOnlyList<string> sources) => new(
        Activities,
        EventLevel.Informational,
        ActivityKeywords,
        new Dictionary<string, string>
        {
            ["FilterAndPayloadSpecs"] = string.Join('\n', sources.Select(source =>
                $"[AS]{source}/-Propagate:-TraceId;SpanId;ParentSpanId{(source == HubCalls ? ";DisplayName" : "")}")),
        });

    /// <summary>Returns the session of waits and lock contention with their stacks.</summary>
    /// <param name="methodLoads">Whether to record every method as it is compiled: for a process watched from its
    /// start, whose method names a rundown may never contain.</param>
    public static EventPipeSessionConfiguration Waits(int bufferMb, bool methodLoads) => new(
        [new EventPipeProvider(Clr, EventLevel.Verbose, Contention | WaitHandles | (methodLoads ? Loader | Jit | NGen | InstructionMaps : 0))],
        bufferMb,
        requestRundown: false,
        requestStackwalk: true);

    /// <summary>Returns a session that samples the stacks of all managed threads while it is open. It has no rundown,
    /// because other streams contain the names.</summary>
    public static EventPipeSessionConfiguration Snapshot() => new(
        [new EventPipeProvider(SampleProfiler, EventLevel.Informational)],
        SnapshotBufferMb,
        requestRundown: false,
        requestStackwalk: true);

    /// <summary>Returns the session of the runtime's counters. It has stacks, which every runtime accepts: there are
    /// only a few dozen events a beat.</summary>
    public static EventPipeSessionConfiguration Counters(TimeSpan beat) => new(
        [OfCounters(beat)],
        CountersBufferMb,
        requestRundown: false,
        requestStackwalk: true);

    /// <summary>Returns the session of the pool's own events: new goals with their reasons, and workers that start,
    /// idle and stop. It has no event for a work item.</summary>
    /// <param name="stacks">Whether the runtime cannot leave stacks out.</param>
    public static EventPipeSessionConfiguration PoolAlone(bool stacks) => new(
        [new EventPipeProvider(Clr, EventLevel.Informational, Threading)],
        CountersBufferMb,
        requestRundown: false,
        requestStackwalk: stacks);

    private static EventPipeProvider OfCounters(TimeSpan beat) => new(
        CounterEvents.Provider,
        EventLevel.Informational,
        keywords: 0,
        new Dictionary<string, string> { ["EventCounterIntervalSec"] = beat.TotalSeconds.ToString(CultureInfo.InvariantCulture) });

    /// <summary>Returns a session that records nothing, to test whether one can be opened. It has stacks, which every
    /// runtime accepts.</summary>
    public static EventPipeSessionConfiguration Probe() => new(
        [new EventPipeProvider(Clr, EventLevel.Critical, Loader)], circularBufferSizeMB: 1, requestRundown: false, requestStackwalk: true);

    /// <summary>Returns a session that holds only the rundown at its end: every method with its address. A session
    /// needs a provider, so it has one that requests no event. It has stacks, which every runtime accepts and no event
    /// of a rundown carries.</summary>
    /// <param name="threads">Whether to include every thread with its managed id: since .NET 9 a session can choose the
    /// content of its rundown.</param>
    public static EventPipeSessionConfiguration Symbols(bool threads)
    {
        EventPipeProvider[] providers = [new(Clr, EventLevel.Critical, Loader)];
        return threads
            ? new(providers, SymbolsBufferMb, DefaultRundown | Threading, requestStackwalk: true)
            : new(providers, SymbolsBufferMb, requestRundown: true, requestStackwalk: true);
    }
}
