namespace Poolscope.PerfEvents.Script;

/// <summary>What a text of `perf script` turned out to hold.</summary>
/// <param name="Read">Events, losses and times, as of a perf.data file.</param>
/// <param name="Precision">What times were rounded down to, ns: 1 or 1000.</param>
/// <param name="NamesProcesses">The process of each thread is printed.</param>
/// <param name="Switches">Events sched_switch that were understood.</param>
/// <param name="OtherEvents">Events that mean nothing here, and were passed over.</param>
/// <param name="Unreadable">Events that would mean something and were not understood; each counts as lost.</param>
/// <param name="FirstUnreadable">The first of these, or of the lines that name one without being an event; null: none.</param>
internal sealed record ScriptSummary(
    PerfDataSummary Read, int Precision, bool NamesProcesses, long Switches, long OtherEvents, long Unreadable, byte[]? FirstUnreadable);
