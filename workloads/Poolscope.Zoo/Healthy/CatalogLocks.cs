using Zoo.Running;

namespace Shop.Catalog;

/// <summary>Requests share a dictionary behind a lock that they hold for microseconds.</summary>
internal static class CatalogLocks
{
    private static readonly object Gate = new();
    private static readonly Dictionary<int, int> Views = [];

    public static void Run(Stage stage)
    {
        var app = Site.NewBuilder().Build();
        app.MapGet("/product/{id:int}", async (int id) =>
        {
            await Task.Delay(5);
            return Count(id);
        });
        app.Serve(stage, "/product/1@5@0@1.5", "/product/2@100@1.5@end");
    }

    private static int Count(int id)
    {
        lock (Gate)
        {
            return Views[id] = Views.GetValueOrDefault(id) + 1;
        }
    }
}
