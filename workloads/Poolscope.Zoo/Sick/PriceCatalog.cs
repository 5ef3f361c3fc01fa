using Zoo.Running;

namespace Shop.Pricing;

/// <summary>A price list in a Lazy that takes seconds to load, and every request needs it.</summary>
internal static class PriceCatalog
{
    private static TimeSpan _loading;
    private static readonly Lazy<Dictionary<int, decimal>> Prices = new(Load);

    public static void Run(Stage stage)
    {
        _loading = TimeSpan.FromSeconds(0.85 * (stage.Seconds - stage.Onset));
        stage.AwaitOnset();
        stage.Pace(40, n => ThreadPool.QueueUserWorkItem(_ => Quote(n)));
    }

    private static void Quote(int article) => _ = Prices.Value.GetValueOrDefault(article % 100);

    private static Dictionary<int, decimal> Load()
    {
        Thread.Sleep(_loading);
        return Enumerable.Range(0, 100).ToDictionary(a => a, a => a * 1.5m);
    }
}
