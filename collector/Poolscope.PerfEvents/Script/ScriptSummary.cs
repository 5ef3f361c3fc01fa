namespace Poolscope.PerfEvents.Script;

/// <summary>The summary of a text of `perf script`.</summary>
/// <param name="Read">Events, losses and times, as for a perf.data file.</param>
/// <param name="Precision">The unit to which times were rounded down, ns: 1 or 1000.</param>
/// <param name="NamesProcesses">True if the text has the process of each thread.</param>
/// <param name="Switches">Number of sched_switch events that were parsed.</param>
/// <param name="OtherEvents">Number of events that were skipped because the reader does not use them.</param>
/// <param name="Unreadable">Number of events that the reader uses but could not parse; each counts as lost.</param>
/// <param name="FirstUnreadable">The first of these events, or of the lines that name one without being an event; null:
/// none.</param>
internal sealed record ScriptSummary(
    PerfDataSummary Read, int Precision, bool NamesProcesses, long Switches, long OtherEvents, long Unreadable, byte[]? FirstUnreadable);
