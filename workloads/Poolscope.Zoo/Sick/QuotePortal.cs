using Zoo.Running;

namespace Insurance.Quotes;

/// <summary>64 clients at once, each on a connection of its own, with quotes that take 4 s on a pool thread. Most of
/// their requests are still unread when the run ends.</summary>
internal static class QuotePortal
{
    public static void Run(Stage stage)
    {
        var app = Site.NewBuilder().Build();
        app.MapGet("/quote/{customer}", (string customer) => Tariff.Quote(customer));
        app.Serve(stage, "/quote/first@x1@0", "/quote/rush@x64@2", "/quote/late@1@2@end");
    }
}

internal static class Tariff
{
    public static string Quote(string customer)
    {
        Thread.Sleep(4000);
        return $"{customer}: 42.00 a month";
    }
}
