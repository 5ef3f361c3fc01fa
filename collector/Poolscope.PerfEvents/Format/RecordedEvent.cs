namespace Poolscope.PerfEvents.Format;

/// <summary>One event of a recording: what was asked for, the ids under which its records appear (one per CPU), and,
/// for a tracepoint, the kernel's description of its fields.</summary>
/// <param name="Name">As perf writes it: "sched:sched_switch", "cpu-clock", "dummy:HG".</param>
/// <param name="Format">Text of the tracepoint's `format` file; null for other events.</param>
internal sealed record RecordedEvent(string Name, PerfEventAttr Attr, IReadOnlyList<ulong> Ids, string? Format);
