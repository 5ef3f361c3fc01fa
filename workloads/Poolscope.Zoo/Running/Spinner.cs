using System.Diagnostics;

namespace Zoo.Running;

/// <summary>A neighbour that computes on one core: <c>zoo spin SECONDS</c>.</summary>
internal static class Spinner
{
    /// <summary>Spins on this thread.</summary>
    public static int Run(double seconds)
    {
        var clock = Stopwatch.StartNew();
        while (clock.Elapsed.TotalSeconds < seconds)
        {
        }

        return 0;
    }
}
