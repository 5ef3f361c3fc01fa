using Zoo.Running;

namespace Metrics.Rollup;

/// <summary>Needs 0.8 cores in a container that has half a core.</summary>
internal static class MetricsRollup
{
    private const double SeriesMs = 20;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(40, n => ThreadPool.QueueUserWorkItem(_ => Aggregate(n)));
    }

    private static void Aggregate(int series)
    {
        var until = ThreadClock.NowMs + SeriesMs;
        var sum = (uint)series;
        while (ThreadClock.NowMs < until)
        {
            for (var i = 0; i < 20_000; i++)
            {
                sum = sum * 1664525 + 1013904223;
            }
        }

        GC.KeepAlive(sum);
    }
}
