namespace Poolscope.Etw.Capture;

/// <summary>Providers and keywords of the runtime, with the names and numbers that EventPipe and ETW share. Keywords
/// are those of the runtime's manifest (ClrEtwAll.man) unless stated otherwise.</summary>
public static class RuntimeEvents
{
    public const string Clr = "Microsoft-Windows-DotNETRuntime";
    public const string Framework = "System.Diagnostics.Eventing.FrameworkEventSource";
    public const string Tpl = "System.Threading.Tasks.TplEventSource";

    /// <summary>ASP.NET Core: a request enters or leaves its pipeline.</summary>
    public const string Hosting = "Microsoft.AspNetCore.Hosting";

    /// <summary>ASP.NET Core's server: connections and requests.</summary>
    public const string Kestrel = "Microsoft-AspNetCore-Server-Kestrel";

    /// <summary>HttpClient: calls to other services, and the connections that carry them. Its events have no
    /// keywords.</summary>
    public const string HttpCalls = "System.Net.Http";

    /// <summary>Activities of any ActivitySource that a session names.</summary>
    public const string Activities = "Microsoft-Diagnostics-DiagnosticSource";

    /// <summary>Pools of the bundled workloads. Other processes have no provider of this name.</summary>
    public const string ReferencePool = "Poolscope-ReferencePool";

    /// <summary>The keywords that enable every event of an EventSource, also those without a keyword. An EventSource
    /// gives all its events these bits, and EventPipeProvider requests them by default.</summary>
    public const long AnyKeyword = 0xF000_0000_0000;

    public const long Gc = 0x1;
    public const long Loader = 0x8;
    public const long Jit = 0x10;
    public const long NGen = 0x20;
    public const long Contention = 0x4000;
    public const long Threading = 0x1_0000;

    /// <summary>JittedMethodILToNativeMap: maps each instruction to its IL.</summary>
    public const long InstructionMaps = 0x2_0000;

    public const long ThreadTransfer = 0x8000_0000;
    public const long WaitHandles = 0x400_0000_0000;

    /// <summary>Keywords of <see cref="Framework"/>: ThreadPool 2 (work items enqueued and dequeued) and ThreadTransfer
    /// 0x10 (timers).</summary>
    public const long FrameworkKeywords = 0x12;

    /// <summary>Keywords of <see cref="Tpl"/>: Tasks 2 (scheduled, started, waits) and TaskStops 0x40 (completed; its
    /// guard requires both).</summary>
    public const long TplKeywords = 0x42;

    /// <summary>TasksFlowActivityIds of <see cref="Tpl"/>. With it, the end of a request has the same activity as its
    /// beginning, whatever threads it ran on in between, and every event has the activity that its thread works
    /// on.</summary>
    public const long ActivityFlow = 0x80;

    /// <summary>Keywords of <see cref="Activities"/>: Events 2, and IgnoreShortCutKeywords 0x800, without which the
    /// names of other sources are added.</summary>
    public const long ActivityKeywords = 0x802;

    /// <summary>Keywords of <see cref="ReferencePool"/>, which uses the runtime's.</summary>
    public const long ReferencePoolKeywords = FrameworkKeywords | Threading;
}
