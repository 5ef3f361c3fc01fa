using Shop.Cache;
using Zoo.Running;

namespace Shop.Sessions;

/// <summary>Every request awaits a cache over one connection. The cache stops for four seconds at a time.</summary>
internal static class SessionStore
{
    public static void Run(Stage stage)
    {
        var (server, port) = CacheServer.Start(stage);
        var cache = new CacheLink(port, posts: true);
        var app = Site.NewBuilder().Build();
        app.MapGet("/basket/{user:int}", async (int user) => await BasketAsync(cache, user));
        app.Serve(stage, "/basket/8@50@0@end");
        Signals.Pauses(stage, server.Id, first: 1, every: 7, length: 4);
    }

    private static async Task<string> BasketAsync(CacheLink cache, int user)
    {
        var session = await cache.GetAsync($"session:{user}");
        return $"{user}: {session}";
    }
}
