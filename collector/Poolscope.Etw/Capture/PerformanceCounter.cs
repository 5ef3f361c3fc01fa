using System.Diagnostics;

namespace Poolscope.Etw.Capture;

/// <summary>The clock of a trace's events, read by this process.</summary>
public static class PerformanceCounter
{
    public const string Id = "QueryPerformanceCounter";

    /// <summary>The current time, ns, from the same zero as the times of events.</summary>
    public static long NowNs => (long)((Int128)Stopwatch.GetTimestamp() * 1_000_000_000 / Stopwatch.Frequency);
}
