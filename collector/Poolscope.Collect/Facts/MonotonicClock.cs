using System.Diagnostics;
using Poolscope.Decode.Manifest;
using Poolscope.Etw.Capture;

namespace Poolscope.Collect.Facts;

/// <summary>What every stream is stamped with, and <see cref="Stopwatch"/> reads, ns: CLOCK_MONOTONIC; on Windows the performance
/// counter.</summary>
public static class MonotonicClock
{
    public static string Id => OperatingSystem.IsWindows() ? PerformanceCounter.Id : "CLOCK_MONOTONIC";

    public static long NowNs => OperatingSystem.IsWindows() ? PerformanceCounter.NowNs : Stopwatch.GetTimestamp();

    public static ClockInfo Read() => new(Id, NowNs, DateTime.UtcNow);
}
