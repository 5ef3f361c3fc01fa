using System.Diagnostics;
using System.Runtime.InteropServices;
using Poolscope.Workloads.Experiments;
using Xunit;

namespace Poolscope.Workloads.Tests.Live;

[Trait("live", "yes")]
[Collection(LiveCollection.Name)]
public sealed partial class SpinWorkTests
{
    private const int ThreadCpuTime = 3; // CLOCK_THREAD_CPUTIME_ID of linux/time.h

    [Fact]
    public void Contention_stretches_the_wall_time_of_an_item_but_hardly_its_cpu_time()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads the thread's CPU clock");
        var iterations = SpinWork.Calibrate(TimeSpan.FromMilliseconds(100));

        var alone = OnThreads(1, iterations);
        var crowded = OnThreads(4 * Environment.ProcessorCount, iterations);

        var wallGrew = crowded.Max(t => t.Wall) / alone[0].Wall;
        var cpuGrew = crowded.Max(t => t.Cpu) / alone[0].Cpu;
        Assert.True(cpuGrew * 1.5 < wallGrew, $"CPU time grew {cpuGrew:F2} times, wall time {wallGrew:F2} times");
    }

    [Fact]
    public void Calibration_finds_the_amount_that_fills_the_time()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads the thread's CPU clock");
        var iterations = SpinWork.Calibrate(TimeSpan.FromMilliseconds(100));

        var fastest = Enumerable.Range(0, 5).Min(_ => OnThreads(1, iterations)[0].Cpu);

        Assert.InRange(fastest, 0.06, 0.17);
    }

    private static (double Wall, double Cpu)[] OnThreads(int count, long iterations)
    {
        var took = new (double, double)[count];
        using var go = new ManualResetEventSlim();
        var threads = Enumerable.Range(0, count).Select(i => new Thread(() =>
        {
            go.Wait();
            var (wall, cpu) = (Stopwatch.GetTimestamp(), CpuSeconds());
            SpinWork.Spin(iterations);
            took[i] = (Stopwatch.GetElapsedTime(wall).TotalSeconds, CpuSeconds() - cpu);
        })).ToList();
        threads.ForEach(t => t.Start());
        go.Set();
        threads.ForEach(t => t.Join());
        return took;
    }

    private static double CpuSeconds()
    {
        Assert.Equal(0, ClockGetTime(ThreadCpuTime, out var time));
        return time.Seconds + (time.Nanoseconds / 1e9);
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int ClockGetTime(int clock, out TimeSpec time);

    private struct TimeSpec
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
