using Microsoft.Diagnostics.Runtime;
using Poolscope.Look.Lines;

namespace Poolscope.Look.Memory.Items;

/// <summary>Reads the timers that should have fired. Timers fire on the pool, so a pool without a free thread leaves
/// them in their lists.</summary>
internal static class TimerReader
{
    /// <summary>A timer is late after this many ms: the runtime's clock ticks every 16 ms, and firing takes time
    /// too.</summary>
    private const long Tolerance = 100;

    /// <param name="now">The time on the clock of timers: <see cref="Environment.TickCount64"/>.</param>
    public static IEnumerable<TimerLine> Read(ClrRuntime runtime, LookLimits limits, long now) =>
        Late(runtime, limits, now).GroupBy(timer => timer.Method)
            .Select(group => new TimerLine(group.Key, group.Count(), group.Max(timer => timer.LateMs)))
            .OrderByDescending(line => line.LateMs);

    private static IEnumerable<(string Method, long LateMs)> Late(ClrRuntime runtime, LookLimits limits, long now)
    {
        var left = limits.Timers;
        foreach (var queue in Queues(runtime))
        {
            foreach (var list in (string[])["_shortTimers", "_longTimers"])
            {
                for (var timer = Field(queue, list); timer is { } at && left > 0; timer = Field(at, "_next"), left--)
                {
                    if (at.TryReadField("_startTicks", out long start) && at.TryReadField("_dueTime", out uint due) && due != uint.MaxValue
                        && now - start - due is var late && late > Tolerance && late < now)
                    {
                        yield return (ItemNames.Of(at).Method, late);
                    }
                }
            }
        }
    }

    private static IEnumerable<ClrObject> Queues(ClrRuntime runtime)
    {
        var type = runtime.BaseClassLibrary.GetTypeByName("System.Threading.TimerQueue");
        var field = type?.GetStaticFieldByName("<Instances>k__BackingField");
        if (field is null || runtime.AppDomains.Length == 0 || field.ReadObject(runtime.AppDomains[0]) is not { IsValid: true, IsNull: false, IsArray: true } instances)
        {
            yield break;
        }

        var queues = instances.AsArray();
        for (var i = 0; i < Math.Min(queues.Length, Environment.ProcessorCount * 2); i++)
        {
            if (queues.GetObjectValue(i) is { IsValid: true, IsNull: false } queue)
            {
                yield return queue;
            }
        }
    }

    private static ClrObject? Field(ClrObject holder, string name) =>
        holder.TryReadObjectField(name, out var found) && found is { IsValid: true, IsNull: false } ? found : null;
}
