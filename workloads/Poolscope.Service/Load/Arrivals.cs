namespace Poolscope.Service.Load;

/// <summary>The intended times of requests. They are set before the first request, and no answer moves them: an open
/// loop.</summary>
public static class Arrivals
{
    /// <param name="rate">Requests a second, above 0; the mean for Poisson.</param>
    /// <param name="seed">Equal seeds give equal times; ignored for <see cref="ArrivalKind.Fixed"/>.</param>
    /// <returns>Times from the start of the run, ascending, all below <paramref name="duration"/>.</returns>
    public static IReadOnlyList<TimeSpan> Plan(ArrivalKind kind, double rate, TimeSpan duration, int seed)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(rate);
        return kind == ArrivalKind.Fixed ? Fixed(rate, duration) : Poisson(rate, duration, seed);
    }

    // Each time is computed from its number, so rounding does not add up.
    private static List<TimeSpan> Fixed(double rate, TimeSpan duration) =>
        [.. Enumerable.Range(0, int.MaxValue).Select(i => TimeSpan.FromSeconds(i / rate)).TakeWhile(t => t < duration)];

    private static List<TimeSpan> Poisson(double rate, TimeSpan duration, int seed)
    {
#pragma warning disable CA5394 // Arrivals must be the same for the same seed, not hard to guess.
        var random = new Random(seed);
        var times = new List<TimeSpan>();
        var at = 0.0;
        while (true)
        {
            // NextDouble is below 1, so the logarithm is finite.
            at -= Math.Log(1 - random.NextDouble()) / rate;
#pragma warning restore CA5394
            if (at >= duration.TotalSeconds)
            {
                return times;
            }

            times.Add(TimeSpan.FromSeconds(at));
        }
    }
}
