namespace Poolscope.PerfEvents.Format;

/// <summary>One event of a recording: its attribute, the ids in its records (one per CPU, or per thread and CPU), and,
/// for a tracepoint, the kernel's description of its fields.</summary>
/// <param name="Name">The name as perf writes it: "sched:sched_switch", "cpu-clock", "dummy:HG".</param>
/// <param name="Format">Text of the tracepoint's `format` file; null for other events.</param>
internal sealed record RecordedEvent(string Name, PerfEventAttr Attr, IReadOnlyList<ulong> Ids, string? Format);
