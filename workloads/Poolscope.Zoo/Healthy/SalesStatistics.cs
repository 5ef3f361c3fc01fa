using Zoo.Running;

namespace Sales.Statistics;

/// <summary>A PLINQ query of some milliseconds on all cores, three times a second.</summary>
internal static class SalesStatistics
{
    private static readonly int[] Sales = [.. Enumerable.Range(0, 100_000).Select(n => n * 7919 % 1000)];

    private static double _mean;

    public static void Run(Stage stage) =>
        stage.Pace(3, _ => Task.Run(() => Volatile.Write(ref _mean, Mean())));

    private static double Mean() =>
        Sales.AsParallel().Where(amount => amount % 3 != 0).Select(amount => Math.Sqrt(amount)).Average();
}
