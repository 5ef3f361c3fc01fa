using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Poolscope.Workloads.Experiments;

/// <summary>CPU work measured in iterations, not in time.</summary>
public static class SpinWork
{
    // Long enough to be timed well, and short enough that some samples run undisturbed even on a busy machine, where a
    // time slice is a few milliseconds.
    private const int Samples = 40;
    private static readonly TimeSpan Sample = TimeSpan.FromMilliseconds(2);

    private static ulong s_sink;

    /// <summary>Does <paramref name="iterations"/> steps that depend on each other and touch no memory.</summary>
    // Optimised at once: if faster code replaced the method half-way, the first items would cost more.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void Spin(long iterations)
    {
        // Knuth's MMIX generator: each multiplication needs the previous one, so unrolling does not help.
        var value = 1UL;
        for (var i = 0L; i < iterations; i++)
        {
            value = (value * 6364136223846793005UL) + 1442695040888963407UL;
        }

        // Stored where the compiler must assume a reader.
        Volatile.Write(ref s_sink, value);
    }

    /// <summary>Returns the iterations that fill <paramref name="time"/> on one undisturbed core. Takes about
    /// 0.1 s.</summary>
    /// <remarks>Uses the fastest of many short samples, because a disturbance can only make a sample slower.</remarks>
    public static long Calibrate(TimeSpan time)
    {
        var iterations = Grow();
        var fastest = TimeSpan.MaxValue;
        for (var i = 0; i < Samples; i++)
        {
            var took = Time(iterations);
            fastest = took < fastest ? took : fastest;
        }

        return Math.Max(1, (long)(iterations * (time / fastest)));
    }

    private static long Grow()
    {
        var iterations = 1000L;
        while (Time(iterations) < Sample)
        {
            iterations *= 2;
        }

        return iterations;
    }

    private static TimeSpan Time(long iterations)
    {
        var start = Stopwatch.GetTimestamp();
        Spin(iterations);
        return Stopwatch.GetElapsedTime(start);
    }
}
