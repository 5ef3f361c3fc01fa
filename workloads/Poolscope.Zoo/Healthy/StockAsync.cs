using Zoo.Running;

namespace Shop.Stock;

/// <summary>Calls a service that becomes slow, and awaits it: answers are late, but the pool is healthy.</summary>
internal static class StockAsync
{
    public static void Run(Stage stage)
    {
        var builder = Site.NewBuilder();
        var inventory = Child.Remote(stage, delayMs: 30, slowMs: 1500);
        builder.Services.AddSingleton(new HttpClient { BaseAddress = new Uri(inventory) });
        builder.Services.AddSingleton<StockClient>();
        var app = builder.Build();
        app.MapGet("/stock/{sku}", async (string sku, StockClient client) => await client.CountAsync(sku));
        app.Serve(stage, "/stock/A1@5@0@1.5", "/stock/B2@40@1.5@end");
    }
}

public sealed class StockClient(HttpClient http)
{
    public async Task<string> CountAsync(string sku)
    {
        using var answer = await http.GetAsync($"stock/{sku}");
        return await answer.Content.ReadAsStringAsync();
    }
}
