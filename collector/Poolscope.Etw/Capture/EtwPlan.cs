using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers;
using Microsoft.Diagnostics.Tracing.Session;
using static Poolscope.Etw.Capture.RuntimeEvents;

namespace Poolscope.Etw.Capture;

/// <summary>A provider as a session asks for it.</summary>
/// <param name="StackIds">Events that carry a stack: unlike EventPipe, ETW decides it per event.</param>
public sealed record EtwProvider(string Name, Guid Id, TraceEventLevel Level, ulong Keywords, IReadOnlyList<int> StackIds);

/// <summary>Which events a recording on Windows asks for: the same as the EventPipe sessions' on Linux, in one session with
/// the kernel's.</summary>
public static class EtwPlan
{
    /// <summary>Where a thread blocked, who woke it from where, and what it ran.</summary>
    public const KernelTraceEventParser.Keywords KernelStacks =
        KernelTraceEventParser.Keywords.ContextSwitch | KernelTraceEventParser.Keywords.Dispatcher | KernelTraceEventParser.Keywords.Profile;

    // These name things; what has stacks is the scheduler's stream.
    private const KernelTraceEventParser.Keywords WithoutStacks =
        KernelTraceEventParser.Keywords.Process | KernelTraceEventParser.Keywords.Thread | KernelTraceEventParser.Keywords.ImageLoad;

    private const int ContentionStart = 81;
    private const int WaitHandleWaitStart = 301;

    // A keyword of the rundown provider alone.
    private const long ForceEndRundown = 0x100;

    /// <summary>Begin and end of requests and calls are Informational; a provider's keywords do not distinguish its events.</summary>
    public static IReadOnlyList<string> RequestProviders { get; } = [Hosting, Kestrel, HttpCalls];

    /// <summary>What the kernel shows, of every process.</summary>
    /// <param name="sockets">TCP/IP too: connections and how many bytes went over them.</param>
    public static KernelTraceEventParser.Keywords Kernel(bool sockets) =>
        WithoutStacks | KernelStacks | (sockets ? KernelTraceEventParser.Keywords.NetworkTCPIP : KernelTraceEventParser.Keywords.None);

    /// <summary>Work items, pool, tasks, waits, suspensions, and methods as they are compiled.</summary>
    /// <param name="requests">Web requests and HttpClient's calls too.</param>
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

    /// <summary>Names of what was compiled before. In this order: the runtime tells methods first, and of a rundown that is
    /// cut nothing could be used without the modules.</summary>
    public static IReadOnlyList<EtwProvider> Rundown { get; } =
    [
        RundownOf(Loader | ForceEndRundown),
        RundownOf(Jit | NGen | ForceEndRundown),
    ];

    private static EtwProvider RundownOf(ulong keywords) =>
        new("Microsoft-Windows-DotNETRuntimeRundown", Guid.Parse("a669021c-c450-4609-a035-5af59af4df18"), TraceEventLevel.Verbose, keywords, []);
}
