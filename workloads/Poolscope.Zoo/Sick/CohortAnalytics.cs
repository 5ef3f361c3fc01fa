using Zoo.Running;

namespace Analytics.Cohorts;

/// <summary>Every query "frees memory" with GC.Collect, on a heap of some hundred MB.</summary>
internal static class CohortAnalytics
{
    private static readonly List<object[]> Cohorts = [];

    public static void Run(Stage stage)
    {
        for (var i = 0; i < 2_500_000; i++)
        {
            Cohorts.Add([new object(), $"{i}"]);
        }

        stage.AwaitOnset();
        stage.Pace(16, n => ThreadPool.QueueUserWorkItem(_ => Query(n)));
    }

    private static void Query(int cohort)
    {
        var found = Cohorts.Skip(cohort * 100).Take(100).Select(c => c.Length).ToList();
        GC.Collect();
        GC.KeepAlive(found);
    }
}
