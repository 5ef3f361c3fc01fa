using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers;
using Microsoft.Diagnostics.Tracing.Session;
using static Poolscope.Etw.Capture.RuntimeEvents;

namespace Poolscope.Etw.Capture;

/// <summary>A provider, and the events that a session requests from it.</summary>
/// <param name="StackIds">Ids of the events that carry a stack. Unlike EventPipe, ETW decides this per event.</param>
public sealed record EtwProvider(string Name, Guid Id, TraceEventLevel Level, ulong Keywords, IReadOnlyList<int> StackIds);

/// <summary>The events that a recording on Windows requests: those of the EventPipe sessions on Linux and the kernel's,
/// in one session.</summary>
public static class EtwPlan
{
    /// <summary>The kernel events with stacks: where a thread blocked, where another woke it, and what it
    /// ran.</summary>
    public const KernelTraceEventParser.Keywords KernelStacks =
        KernelTraceEventParser.Keywords.ContextSwitch | KernelTraceEventParser.Keywords.Dispatcher | KernelTraceEventParser.Keywords.Profile;

    // These events only name things. The scheduler's events are the ones with stacks.
    private const KernelTraceEventParser.Keywords WithoutStacks =
        KernelTraceEventParser.Keywords.Process | KernelTraceEventParser.Keywords.Thread | KernelTraceEventParser.Keywords.ImageLoad;

    private const int ContentionStart = 81;
    private const int WaitHandleWaitStart = 301;

    // Only the rundown provider has this keyword.
    private const long ForceEndRundown = 0x100;

    /// <summary>The providers of requests and calls. Their begin and end events are Informational; keywords do not
    /// distinguish a provider's events.</summary>
    public static IReadOnlyList<string> RequestProviders { get; } = [Hosting, Kestrel, HttpCalls];

    /// <summary>Returns the kernel events to record. They cover every process.</summary>
    /// <param name="sockets">Whether to record TCP/IP too: connections and their byte counts.</param>
    public static KernelTraceEventParser.Keywords Kernel(bool sockets) =>
        WithoutStacks | KernelStacks | (sockets ? KernelTraceEventParser.Keywords.NetworkTCPIP : KernelTraceEventParser.Keywords.None);

    /// <summary>Returns the providers of work items, pool, tasks, waits, suspensions, and methods as they are
    /// compiled.</summary>
    /// <param name="requests">Whether to record web requests and HttpClient's calls too.</param>
    public static IReadOnlyList<EtwProvider> Providers(bool requests) =>
    [
        new(
            Clr,
            ClrTraceEventParser.ProviderGuid,
            TraceEventLevel.Verbose,
            Gc | Loader | Jit | NGen | Contention | Threading | ThreadTransfer | WaitHandles,
            [ContentionStart, WaitHandleWaitStart]),
        new(Framework, Guid.Parse("8e9f5090-2d75-4d03-8a81-e5afbf85daf1"), TraceEventLevel.Verbose, FrameworkKeywords, []),
        new(Tpl, Guid.Parse("2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5"), TraceEventLevel.Informational, (ulong)(TplKeywords | (requests ? ActivityFlow : 0)), []),
        new(ReferencePool, TraceEventProviders.GetEventSourceGuidFromName(ReferencePool), TraceEventLevel.Verbose, ReferencePoolKeywords, []),
        .. requests
            ? RequestProviders.Select(name => new EtwProvider(name, TraceEventProviders.GetEventSourceGuidFromName(name), TraceEventLevel.Informational, AnyKeyword, []))
            : [],
    ];

    /// <summary>The rundown providers, which name the methods compiled before. Modules come first: in a single rundown
    /// the runtime reports methods first, and methods without modules are useless if the rundown is
    /// truncated.</summary>
    public static IReadOnlyList<EtwProvider> Rundown { get; } =
    [
        RundownOf(Loader | ForceEndRundown),
        RundownOf(Jit | NGen | ForceEndRundown),
    ];

    private static EtwProvider RundownOf(ulong keywords) =>
        new("Microsoft-Windows-DotNETRuntimeRundown", Guid.Parse("a669021c-c450-4609-a035-5af59af4df18"), TraceEventLevel.Verbose, keywords, []);
}
