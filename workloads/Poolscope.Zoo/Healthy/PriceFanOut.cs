using System.Text.Json;
using Zoo.Running;

namespace Prices.Collector;

/// <summary>Asks 100 sources at once every 250 ms, and awaits them all.</summary>
internal static class PriceFanOut
{
    public static void Run(Stage stage)
    {
        CollectAsync(stage).GetAwaiter().GetResult();
    }

    private static async Task CollectAsync(Stage stage)
    {
        while (stage.Now < stage.Seconds - 0.5)
        {
            var quotes = await Task.WhenAll(Enumerable.Range(0, 100).Select(QuoteAsync));
            var best = quotes.Min();
            await Task.Delay(best > 0 ? 250 : 0);
        }
    }

    private static async Task<decimal> QuoteAsync(int source)
    {
        await Task.Delay(20 + source % 30);
        var answer = JsonSerializer.Serialize(new { source, price = 10m + source });
        return JsonDocument.Parse(answer).RootElement.GetProperty("price").GetDecimal();
    }
}
