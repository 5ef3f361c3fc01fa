using Zoo.Running;

namespace Shop.Pricing;

/// <summary>A price list in a Lazy that takes five seconds to load, and every request wants it.</summary>
internal static class PriceCatalog
{
    private static readonly Lazy<Dictionary<int, decimal>> Prices = new(Load);

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        stage.Pace(40, n => ThreadPool.QueueUserWorkItem(_ => Quote(n)));
    }

    private static void Quote(int article) => _ = Prices.Value.GetValueOrDefault(article % 100);

    private static Dictionary<int, decimal> Load()
    {
        Thread.Sleep(5000);
        return Enumerable.Range(0, 100).ToDictionary(a => a, a => a * 1.5m);
    }
}
