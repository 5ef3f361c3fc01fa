using System.Diagnostics;
using Poolscope.Decode.Manifest;

namespace Poolscope.Collect.Facts;

/// <summary>CLOCK_MONOTONIC, ns: what <see cref="Stopwatch"/> reads on Linux, and what every stream is stamped with.</summary>
public static class MonotonicClock
{
    public const string Id = "CLOCK_MONOTONIC";

    private static readonly long NsPerTick = 1_000_000_000 / Stopwatch.Frequency;

    public static long NowNs => Stopwatch.GetTimestamp() * NsPerTick;

    public static ClockInfo Read() => new(Id, NowNs, DateTime.UtcNow);
}
