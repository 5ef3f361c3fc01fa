using System.Runtime.CompilerServices;

namespace Poolscope.Workloads.Experiments;

/// <summary>The counter of the experiments of 2003: adds one to a decimal, which costs some nanoseconds and touches no
/// shared memory, until told to stop.</summary>
internal sealed class CountWithDecimal
{
    private volatile bool _stopped;

    public bool Stopped => _stopped;

    public void Stop() => _stopped = true;

    /// <returns>How far it came.</returns>
    // Optimised at once: a loop that is replaced by faster code half-way would not count the same in each thread.
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
