using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Decode.Counters;
using Poolscope.Etw.Capture;
using static Poolscope.Etw.Capture.RuntimeEvents;

namespace Poolscope.Collect.EventPipe;

/// <summary>Which events each EventPipe session asks for. Stacks belong to a session, not to an event, and are most of the
/// cost: so two sessions record at the same time. .NET 8 puts stacks on every session.</summary>
public static class SessionPlan
{
    public const string RuntimeFile = "runtime.nettrace";
    public const string WaitsFile = "waits.nettrace";
    public const string SymbolsFile = "symbols.nettrace";
    public const string SnapshotsFolder = "snapshots";

    private const string SampleProfiler = "Microsoft-DotNETCore-SampleProfiler";

    /// <summary>What a rundown holds that nobody chose.</summary>
    private const long DefaultRundown = 0x8002_0139;

    /// <summary>Room for the symbols session, MB: nothing is recorded in it but the rundown.</summary>
    private const int SymbolsBufferMb = 64;

    /// <summary>Room for a snapshot, MB: a thread's stack takes some hundred bytes.</summary>
    private const int SnapshotBufferMb = 4;

    /// <summary>SignalR's ActivitySource: every call of a hub method is an activity of the same name.</summary>
    private const string HubCalls = "Microsoft.AspNetCore.SignalR.Server";

    /// <summary>Room for the counters, MB: a beat's take some kilobytes.</summary>
    private const int CountersBufferMb = 1;

    /// <summary>Work items, pool, tasks, suspensions, threads, waits, web requests and HttpClient's calls.</summary>
    /// <param name="stacks">For a runtime that cannot leave them out. The runtime's own provider is Verbose for hill climbing's
    /// statistics and WaitHandle waits. Before .NET 9 there are no such waits, and allocations, Verbose too, would have
    /// their stacks walked: there it is Informational.</param>
    /// <param name="requests">Web requests and HttpClient's calls too. A process without either has no such events, and they cost
    /// it nothing.</param>
    /// <param name="activities">Names of the ActivitySources whose activities are recorded; `*`: all.</param>
    /// <param name="countersBeat">Also the runtime's counters, so far apart; null: they have a session of their own.</param>
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

    // Propagate: the activities that exist only because of this session are not marked as sampled, so no other service records
    // what it would not have recorded. The minus leaves out what the provider tells of its own accord, tags among it.
    // SignalR tells the hub and its method in the display name alone.
    private static EventPipeProvider OfActivities(IReadOnlyList<string> sources) => new(
        Activities,
        EventLevel.Informational,
        ActivityKeywords,
        new Dictionary<string, string>
        {
            ["FilterAndPayloadSpecs"] = string.Join('\n', sources.Select(source =>
                $"[AS]{source}/-Propagate:-TraceId;SpanId;ParentSpanId{(source == HubCalls ? ";DisplayName" : "")}")),
        });

    /// <summary>Waits and lock contention with their stacks.</summary>
    /// <param name="methodLoads">Also every method as it is compiled: for a process watched from its start, whose names no
    /// rundown may ever come to tell.</param>
    public static EventPipeSessionConfiguration Waits(int bufferMb, bool methodLoads) => new(
        [new EventPipeProvider(Clr, EventLevel.Verbose, Contention | WaitHandles | (methodLoads ? Loader | Jit | NGen | InstructionMaps : 0))],
        bufferMb,
        requestRundown: false,
        requestStackwalk: true);

    /// <summary>Stacks of all managed threads, as long as it is open. No rundown: the names are in other streams.</summary>
    public static EventPipeSessionConfiguration Snapshot() => new(
        [new EventPipeProvider(SampleProfiler, EventLevel.Informational)],
        SnapshotBufferMb,
        requestRundown: false,
        requestStackwalk: true);

    /// <summary>The runtime's counters at a beat. With stacks: every runtime takes that, and there are a few dozen events a beat.</summary>
    public static EventPipeSessionConfiguration Counters(TimeSpan beat) => new(
        [OfCounters(beat)],
        CountersBufferMb,
        requestRundown: false,
        requestStackwalk: true);

    /// <summary>What the pool tells of itself: new goals with their reasons, workers that come, idle and go. No event for a work
    /// item.</summary>
    /// <param name="stacks">For a runtime that cannot leave them out.</param>
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

    /// <summary>A session that records nothing, to see whether one can be had. With stacks: every runtime takes that.</summary>
    public static EventPipeSessionConfiguration Probe() => new(
        [new EventPipeProvider(Clr, EventLevel.Critical, Loader)], circularBufferSizeMB: 1, requestRundown: false, requestStackwalk: true);

    /// <summary>Nothing but the rundown that ends it: every method with its address. The one provider asks for no event,
    /// for a session needs a provider. With stacks, which no event of a rundown has: every runtime takes that.</summary>
    /// <param name="threads">Also every thread with its managed id: since .NET 9 a session can choose what its rundown holds.</param>
    public static EventPipeSessionConfiguration Symbols(bool threads)
    {
        EventPipeProvider[] providers = [new(Clr, EventLevel.Critical, Loader)];
        return threads
            ? new(providers, SymbolsBufferMb, DefaultRundown | Threading, requestStackwalk: true)
            : new(providers, SymbolsBufferMb, requestRundown: true, requestStackwalk: true);
    }
}
