using System.Collections.Frozen;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Kinds;

/// <summary>Checks the description of an event against the events that Poolscope knows. One description applies to all
/// events of its kind: one changed byte in it would turn dequeues into enqueues, or into neither.</summary>
internal static class KnownEvents
{
    /// <summary>Poolscope's own id for an event whose id depends on the runtime version. Ids in files are
    /// smaller.</summary>
    public const int ActivityStart = 1 << 16;
    public const int ActivityStop = ActivityStart + 1;

    public const string Activities = "Microsoft-Diagnostics-DiagnosticSource";

    /// <summary>one-collect's provider for processes and the contents of their memory. No runtime has it.</summary>
    public const string System = "Universal.System";

    private const string Runtime = "Microsoft-Windows-DotNETRuntime";

    // The providers that the collector's sessions enable, and those that write without being enabled.
    private static readonly FrozenSet<string> Providers = FrozenSet.Create(
        Runtime,
        "Microsoft-Windows-DotNETRuntimeRundown",
        "Microsoft-DotNETCore-EventPipe",
        "Microsoft-DotNETCore-SampleProfiler",
        "System.Diagnostics.Eventing.FrameworkEventSource",
        "System.Threading.Tasks.TplEventSource",
        "System.Runtime",
        "Poolscope-ReferencePool",
        "Microsoft.AspNetCore.Hosting",
        "Microsoft-AspNetCore-Server-Kestrel",
        "System.Net.Http",
        Activities);

    // Managed event sources report names with their ids.
    private static readonly FrozenDictionary<(string Provider, int Id), string> Names = new Dictionary<(string, int), string>
    {
        [("System.Diagnostics.Eventing.FrameworkEventSource", 30)] = "ThreadPoolEnqueueWork",
        [("System.Diagnostics.Eventing.FrameworkEventSource", 31)] = "ThreadPoolDequeueWork",
        [("System.Diagnostics.Eventing.FrameworkEventSource", 150)] = "ThreadTransferSend",
        [("System.Diagnostics.Eventing.FrameworkEventSource", 151)] = "ThreadTransferReceive",
        [("System.Threading.Tasks.TplEventSource", 7)] = "TaskScheduled",
        [("System.Threading.Tasks.TplEventSource", 8)] = "TaskStarted",
        [("System.Threading.Tasks.TplEventSource", 9)] = "TaskCompleted",
        [("System.Threading.Tasks.TplEventSource", 10)] = "TaskWaitBegin",
        [("System.Threading.Tasks.TplEventSource", 12)] = "AwaitTaskContinuationScheduled",
        [("Microsoft.AspNetCore.Hosting", 3)] = "RequestStart",
        [("Microsoft.AspNetCore.Hosting", 4)] = "RequestStop",
        [("Microsoft-AspNetCore-Server-Kestrel", 3)] = "RequestStart",
        [("Microsoft-AspNetCore-Server-Kestrel", 4)] = "RequestStop",
        [("System.Net.Http", 1)] = "RequestStart",
        [("System.Net.Http", 2)] = "RequestStop",
        [("System.Net.Http", 3)] = "RequestFailed",
        [("System.Net.Http", 4)] = "ConnectionEstablished",
        [("System.Net.Http", 6)] = "RequestLeftQueue",
        [("System.Net.Http", 7)] = "RequestHeadersStart",
    }.ToFrozenDictionary();

    private static readonly FrozenSet<string> AllNames = Names.Values.ToFrozenSet();

    // The runtime reports no names, but it reports the keywords that enable an event.
    private static readonly (int First, int Last, long Keyword)[] Keywords =
    [
        (3, 9, 0x1), // collections and suspensions
        (50, 59, 0x1_0000), // the pool
        (81, 81, 0x4000), // locks
        (90, 91, 0x4000),
        (143, 144, 0x30), // methods
        (301, 302, 0x400_0000_0000), // waits
    ];

    // The reverse: all ids that these keywords enable. Any other id with such a keyword is invalid.
    private static readonly (long Keyword, FrozenSet<int> Ids)[] IdsOf =
    [
        (0x1_0000, FrozenSet.Create([11, 12, 14, 39, .. Enumerable.Range(44, 22), 70, 71, 72, 85, 86])),
        (0x4000, FrozenSet.Create([81, 90, 91])),
        (0x400_0000_0000, FrozenSet.Create([301, 302])),
    ];

    /// <summary>Returns the id by which Poolscope decodes an event: the file's id, or Poolscope's own. Activities start
    /// with event 13 on .NET 8 and stop with 14; on .NET 9 and 10 they start with 14 and stop with 15.</summary>
    public static int IdOf(string provider, int id, string name) => (provider, name) switch
    {
        (Activities, "ActivityStart") => ActivityStart,
        (Activities, "ActivityStop") => ActivityStop,
        _ => id,
    };

    /// <param name="name">The event's name in the file; null if not reported, and then not checked.</param>
    /// <param name="keywords">The event's keywords; null if not reported.</param>
    /// <param name="anyProvider">Accept providers that Poolscope does not know, without checking their events.</param>
    /// <exception cref="NettraceDamage">No such event exists.</exception>
    public static void Check(string provider, int id, string? name, long? keywords, bool anyProvider)
    {
        if (!Providers.Contains(provider))
        {
            if (anyProvider)
            {
                return;
            }

            throw new NettraceDamage("events of a provider that no session switches on");
        }

        if (name is not null && Names.TryGetValue((provider, id), out var expected) ? name != expected : name is not null && AllNames.Contains(name) && provider != "Poolscope-ReferencePool")
        {
            throw new NettraceDamage("an event whose id and name do not go together");
        }

        if (provider == Runtime && keywords is not null
            && (Keywords.Any(known => id >= known.First && id <= known.Last && (keywords & known.Keyword) == 0)
                || IdsOf.Any(known => (keywords & known.Keyword) != 0 && !known.Ids.Contains(id))))
        {
            throw new NettraceDamage("an event whose id and keywords do not go together");
        }
    }
}
