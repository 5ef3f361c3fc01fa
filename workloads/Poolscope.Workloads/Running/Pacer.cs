using System.Diagnostics;

namespace Poolscope.Workloads.Running;

/// <summary>Calls an action at a fixed rate.</summary>
public static class Pacer
{
    /// <summary>Calls <paramref name="action"/> with 0, 1, ... on the current thread, a batch at a time: number i no
    /// earlier than (i / <paramref name="batch"/>) x <paramref name="interval"/> after the first.</summary>
    /// <remarks>The deadlines are absolute: a late call does not delay later ones, so the rate never drifts. A call may
    /// be a millisecond late, because the thread sleeps whole milliseconds and does not spin for the rest: on a small
    /// machine that would take a tenth of a core from the items.</remarks>
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
