using System.Diagnostics;
using Poolscope.Workloads.Pools;

namespace Poolscope.Workloads.Running;

/// <summary>The work and the CPU time of the process since it began. The difference of two readings is a
/// measurement.</summary>
/// <param name="Items">Items that the pool completed, including the runtime's own.</param>
/// <param name="WallNs">Stopwatch time, which on Linux is CLOCK_MONOTONIC.</param>
/// <param name="UserNs">CPU time of all threads in user mode (getrusage).</param>
/// <param name="SystemNs">The same in the kernel. Includes the kernel's work for a recorder, which is charged to the
/// thread that it stops.</param>
public readonly record struct MeterReading(long Items, long WallNs, long UserNs, long SystemNs)
{
    public static MeterReading Take(IPool pool)
    {
#if NET9_0_OR_GREATER
        var used = Environment.CpuUsage;
        var (user, system) = (used.UserTime, used.PrivilegedTime);
#else
        // In ticks of 10 ms.
        using var self = Process.GetCurrentProcess();
        var (user, system) = (self.UserProcessorTime, self.PrivilegedProcessorTime);
#endif
        return new MeterReading(
            pool.CompletedItems,
            Stopwatch.GetElapsedTime(0).Ticks * TimeSpan.NanosecondsPerTick,
            user.Ticks * TimeSpan.NanosecondsPerTick,
            system.Ticks * TimeSpan.NanosecondsPerTick);
    }
}
