using Zoo.Running;

namespace Cloud.Tariffs;

/// <summary>Answers in a few milliseconds, without holding a thread.</summary>
internal static class TariffService
{
    public static WebApplication Build()
    {
        var app = Site.NewBuilder().Build();
        app.MapGet("/tariffs/{zone:int}", async (int zone) => await QuoteAsync(zone));
        return app;
    }

    private static async Task<string> QuoteAsync(int zone)
    {
        await Task.Delay(3);
        return $"zone {zone}: {12 + zone} ct/kWh";
    }
}
