using System.Text.Json.Serialization;

namespace Poolscope.Workloads.Running;

/// <summary>The size of one run.</summary>
/// <param name="Count">Items to queue; 0 or more.</param>
/// <param name="IntervalMs">Time from one enqueue to the next, ms; 0 for all at once.</param>
/// <param name="WorkMs">Duration of an item, ms (or, for a workload without items, of the whole run).</param>
/// <param name="MinThreads">The pool's minimum; null for the runtime's default, the number of processors.</param>
/// <param name="MaxThreads">The pool's maximum; null for the runtime's default, 32767.</param>
/// <param name="Client">How an item calls the slow service; null if it does not.</param>
/// <param name="Guard">The guard that the items of a convoy queue for; null if they do not.</param>
/// <param name="Rate">Items a second, for a workload that runs for a time; null if it has no rate.</param>
/// <param name="Leg">The variant of the experiment, from 1; null if it has only one.</param>
public sealed record RunSettings(
    int Count,
    int IntervalMs,
    int WorkMs,
    int? MinThreads = null,
    int? MaxThreads = null,
    ClientKind? Client = null,
    GuardKind? Guard = null,
    int? Rate = null,
    int? Leg = null)
{
    [JsonIgnore]
    public TimeSpan Interval => TimeSpan.FromMilliseconds(IntervalMs);

    [JsonIgnore]
    public TimeSpan Work => TimeSpan.FromMilliseconds(WorkMs);
}
