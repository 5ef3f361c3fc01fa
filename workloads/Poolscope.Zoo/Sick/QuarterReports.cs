using Zoo.Running;

namespace Finance.Reports;

/// <summary>Each report loads its parts with Task.WaitAll, and a part loads its pages with Task.WaitAll.</summary>
internal static class QuarterReports
{
    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(25, n => Task.Run(() => Build(n)));
    }

    private static void Build(int report)
    {
        var parts = Enumerable.Range(0, 2).Select(part => Task.Run(() => LoadPart(report, part))).ToArray();
        Task.WaitAll(parts);
    }

    private static void LoadPart(int report, int part)
    {
        Task.WaitAll(LoadPageAsync(report), LoadPageAsync(part));
    }

    private static async Task LoadPageAsync(int page)
    {
        await Task.Delay(150);
        _ = page.ToString("D6");
    }
}
