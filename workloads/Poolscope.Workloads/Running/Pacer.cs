using System.Diagnostics;

namespace Poolscope.Workloads.Running;

/// <summary>Does something at a fixed rate.</summary>
public static class Pacer
{
    /// <summary>Calls <paramref name="action"/> with 0, 1, ... on the current thread, number i not before
    /// (i / <paramref name="batch"/>) x <paramref name="interval"/> after the first: this many at a time.</summary>
    /// <remarks>The deadlines are absolute: a late call does not delay the ones after it, so the rate never drifts. A
    /// call may be a millisecond late, because sleeping is counted in whole milliseconds and the rest is not spun
    /// away: on a small machine that would take a tenth of a core from the items.</remarks>
    public static void Run(int count, TimeSpan interval, Action<int> action, int batch = 1)
    {
        var first = Stopwatch.GetTimestamp();
        for (var i = 0; i < count; i++)
        {
            var deadline = i / batch * interval;
            for (var left = deadline - Stopwatch.GetElapsedTime(first); left > TimeSpan.Zero;
                 left = deadline - Stopwatch.GetElapsedTime(first))
            {
                Thread.Sleep((int)Math.Ceiling(left.TotalMilliseconds));
            }

            action(i);
        }
    }
}
