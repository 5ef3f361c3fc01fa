namespace Zoo.Running;

/// <summary>Durations as a line of JSON, for comparison with predictions.</summary>
internal static class Durations
{
    /// <summary>Returns the line.</summary>
    /// <param name="clock">Name of the measured thing.</param>
    /// <param name="sortedMs">Durations of those that ended, ms, sorted.</param>
    /// <param name="begun">Number of those that began.</param>
    public static string Json(string clock, double[] sortedMs, int begun) => FormattableString.Invariant(
        $"{{\"clock\": \"{clock}\", \"begun\": {begun}, \"done\": {sortedMs.Length}, \"mean_ms\": {sortedMs.DefaultIfEmpty().Average():0.000}, \"p50_ms\": {At(sortedMs, 0.5):0.000}, \"p99_ms\": {At(sortedMs, 0.99):0.000}, \"max_ms\": {At(sortedMs, 1):0.000}}}");

    private static double At(double[] sorted, double share) =>
        sorted.Length == 0 ? 0 : sorted[(int)(share * (sorted.Length - 1))];
}
