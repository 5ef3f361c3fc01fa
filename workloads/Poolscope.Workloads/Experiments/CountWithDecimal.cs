using System.Runtime.CompilerServices;

namespace Poolscope.Workloads.Experiments;

/// <summary>The counter of the experiments of 2003: until it is stopped, it adds one to a decimal, which costs some
/// nanoseconds and touches no shared memory.</summary>
internal sealed class CountWithDecimal
{
    private volatile bool _stopped;

    public bool Stopped => _stopped;

    public void Stop() => _stopped = true;

    /// <returns>The final count.</returns>
    // Optimised at once: if faster code replaced the loop half-way, threads would not count alike.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public double Count()
    {
        var count = 0m;
        while (!_stopped)
        {
            count++;
        }

        return (double)count;
    }
}
