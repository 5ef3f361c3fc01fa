using Poolscope.Decode.Counters;
using Poolscope.Decode.Events.Web;
using Poolscope.Decode.Nettrace;
using Poolscope.Decode.Nettrace.Kinds;

namespace Poolscope.Decode.Events;

/// <summary>Finds the provider of an event and lets it decode the payload. Skips events of unknown providers.</summary>
internal sealed class EventDecoder(IRuntimeEvents sink) : IItemEvents
{
    public const string ReferencePoolName = "Poolscope-ReferencePool";

    /// <summary>A pool of the bundled workloads, with the runtime's ids and payloads.</summary>
    private static readonly Provider ReferencePool =
        new(ReferencePoolName, null, ReferencePoolEvents.Decode, WorkItemEvents.Decode, TimerEvents.Decode, PoolEvents.Decode);

    private static readonly Provider Framework =
        new("System.Diagnostics.Eventing.FrameworkEventSource", "8e9f5090-2d75-4d03-8a81-e5afbf85daf1") { OwnPool = [WorkItemEvents.Decode, TimerEvents.Decode] };

    private static readonly Provider Activities = new(KnownEvents.Activities, null, ActivityEvents.Decode);

    private static readonly Provider[] Providers =
    [
        ReferencePool,
        Framework,
        new("System.Threading.Tasks.TplEventSource", "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5", TaskEvents.Decode),
        new("Microsoft.AspNetCore.Hosting", null, HostingEvents.Decode),
        new("Microsoft-AspNetCore-Server-Kestrel", null, KestrelEvents.Decode),
        new("System.Net.Http", null, HttpCallEvents.Decode),
        Activities,
        new("Microsoft-Windows-DotNETRuntime", "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", WaitEvents.Decode, SuspensionEvents.Decode, ThreadEvents.DecodeCreated) { OwnPool = [PoolEvents.Decode] },
        new(CounterEvents.Provider, null) { OwnPool = [RuntimeCounterEvents.Decode] },
        new(ThreadEvents.RundownProvider, ThreadEvents.RundownManifest, ThreadEvents.Decode),
    ];

    // Events come in runs of one provider; the others are found by id. Null for an unknown provider.
    private readonly Dictionary<Guid, Provider?> _providers = [];
    private Provider? _latest;

    // Whether any activity event has come. Before it, the activities of threads are not reported.
    private bool _toldOfActivities;

    // Null until a reference pool writes an event.
    private OtherPoolItems? _besideReferencePool;

    /// <summary>False if a reference pool writes events, because only its own items count, or if activities are
    /// reported, because every event may show the activity of its thread.</summary>
    bool IItemEvents.TakesItems => _besideReferencePool is null && !_toldOfActivities;

    void IItemEvents.Enqueue(long time, int tid, long workId) => sink.Enqueue(time, tid, workId);

    void IItemEvents.Dequeue(long time, int tid, long workId) => sink.Dequeue(time, tid, workId);

    public void Decode(in RawEvent e)
    {
        if (_latest is null || !_latest.Wrote(e.Provider))
        {
            _latest = Of(e.Provider);
        }

        if (_latest == ReferencePool && _besideReferencePool is null)
        {
            _besideReferencePool = new OtherPoolItems(sink);
            sink.ReferencePool(name: null);
        }

        _toldOfActivities |= _latest == Activities;
        if (_toldOfActivities)
        {
            sink.ThreadAt(e.Time, e.Tid, e.Activity);
        }

        if (_latest == Framework && _besideReferencePool is not null)
        {
            WorkItemEvents.Decode(e, _besideReferencePool);
        }
        else
        {
            _latest?.Decode(e, sink, ownPool: _besideReferencePool is null);
        }
    }

    private Provider? Of(Guid id)
    {
        if (!_providers.TryGetValue(id, out var provider))
        {
            _providers.Add(id, provider = Array.Find(Providers, p => p.Wrote(id)));
        }

        return provider;
    }
}
