using System.Text.Json.Serialization;

namespace Poolscope.Workloads.Running;

/// <summary>The size of one run.</summary>
/// <param name="Count">Items to queue; 0 or more.</param>
/// <param name="IntervalMs">Milliseconds from one item's queueing to the next; 0: all at once.</param>
/// <param name="WorkMs">Milliseconds that an item takes (or, for a workload without items, the whole run).</param>
/// <param name="MinThreads">The pool's minimum; null: left as the runtime sets it, the number of processors.</param>
/// <param name="MaxThreads">The pool's maximum; null: left as the runtime sets it, 32767.</param>
/// <param name="Client">How an item calls the slow service; null: it does not.</param>
/// <param name="Guard">What the items of a convoy queue for; null: they do not.</param>
/// <param name="Rate">Items a second, for a workload that runs for a time; null: it has no rate.</param>
/// <param name="Leg">Which of the experiment's variants runs, from 1; null: it has only one.</param>
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
