using Poolscope.Workloads.Truth;

namespace Poolscope.Workloads.Running;

/// <summary>The result of a run.</summary>
/// <param name="Count">Items that started.</param>
/// <param name="StartLatencyMs">Time from enqueue to start; null without items.</param>
/// <param name="ThreadsAtEnd">Worker threads of the pool after the last item had ended.</param>
/// <param name="ElapsedMs">Time from the first enqueue to the last end; without items, the length of the run.</param>
public sealed record RunSummary(int Count, Distribution? StartLatencyMs, int ThreadsAtEnd, double ElapsedMs)
{
    /// <param name="fallbackElapsed">Length of a run without items.</param>
    public static RunSummary Of(ItemRecorder items, int threadsAtEnd, TimeSpan fallbackElapsed)
    {
        var truths = Enumerable.Range(0, items.Count).Select(i => items[i]).Where(t => t.StartNs >= 0).ToList();
        return new RunSummary(
            truths.Count,
            Distribution.Of([.. truths.Select(t => (t.StartNs - t.EnqueueNs) / 1e6)]),
            threadsAtEnd,
            truths.Count == 0
                ? fallbackElapsed.TotalMilliseconds
                : (truths.Max(t => t.EndNs) - truths.Min(t => t.EnqueueNs)) / 1e6);
    }
}

/// <summary>A distribution in figures. Percentiles interpolate linearly between the two nearest values, as NumPy does
/// by default, so that they can be compared with the analysis.</summary>
public sealed record Distribution(double Mean, double P50, double P99, double Max)
{
    /// <returns>Null if there are no values.</returns>
    public static Distribution? Of(double[] values)
    {
        if (values.Length == 0)
        {
            return null;
        }

        double[] sorted = [.. values.Order()];
        return new Distribution(values.Average(), Percentile(sorted, 0.50), Percentile(sorted, 0.99), sorted[^1]);
    }

    private static double Percentile(double[] sorted, double fraction)
    {
        var position = (sorted.Length - 1) * fraction;
        var below = (int)position;
        var above = Math.Min(below + 1, sorted.Length - 1);
        return sorted[below] + ((position - below) * (sorted[above] - sorted[below]));
    }
}
