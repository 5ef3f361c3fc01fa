using Shop.Cache;
using Zoo.Running;

namespace Shop.Audit;

/// <summary>
/// Every request queries a cache over one connection. The connection's reader completes tasks inline, so an audit that
/// queries the cache and then blocks for six seconds does so on the reader's thread.
/// </summary>
internal static class StockAudit
{
    public static void Run(Stage stage) => Serve(stage, posts: false);

    public static void Posted(Stage stage) => Serve(stage, posts: true);

    private static void Serve(Stage stage, bool posts)
    {
        var (_, port) = CacheServer.Start(stage);
        var cache = new CacheLink(port, posts);
        var app = Site.NewBuilder().Build();
        app.MapGet("/stock/{article:int}", async (int article) => await cache.GetAsync($"stock:{article}"));
        app.Serve(stage, "/stock/5@40@0@end");
        stage.AwaitOnset();
        for (var next = stage.Onset + 1; next < stage.LoadEnd - 7; next += 8)
        {
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, next - stage.Now)));
            _ = AuditAsync(cache, (int)next);
        }
    }

    private static async Task AuditAsync(CacheLink cache, int number)
    {
        var state = await cache.GetAsync($"audit:{number}");
        WriteReport(state);
    }

    private static void WriteReport(string state)
    {
        var name = Path.Combine(Path.GetTempPath(), $"audit-{Environment.ProcessId}");
        File.WriteAllText(name, state);
        Thread.Sleep(6000);
        File.Delete(name);
    }
}
