using System.Diagnostics;
using Poolscope.Decode.Manifest;
using Poolscope.Etw.Capture;

namespace Poolscope.Collect.Facts;

/// <summary>The clock of every stream and of <see cref="Stopwatch"/>, in ns: CLOCK_MONOTONIC, or the performance
/// counter on Windows.</summary>
public static class MonotonicClock
{
    public static string Id => OperatingSystem.IsWindows() ? PerformanceCounter.Id : "CLOCK_MONOTONIC";

    public static long NowNs => OperatingSystem.IsWindows() ? PerformanceCounter.NowNs : Stopwatch.GetTimestamp();

    public static ClockInfo Read() => new(Id, NowNs, DateTime.UtcNow);
}
