using Real.Running;
using StackExchange.Redis;
using Zoo.Running;

namespace News.Feed;

/// <summary>Publishes and receives messages of a Redis channel, and serves the newest.</summary>
internal static class NewsFeed
{
    private static string _newest = "no news";

    public static void Run(Stage stage)
    {
        var redis = ConnectionMultiplexer.Connect(Servers.Redis);
        redis.GetSubscriber().Subscribe(RedisChannel.Literal("news"), (_, value) => _newest = value!);
        var app = Site.NewBuilder().Build();
        app.MapGet("/newest", () => _newest);
        app.Serve(stage, "/newest@40@0@end");
        stage.Pace(30, n => redis.GetSubscriber().Publish(RedisChannel.Literal("news"), $"headline {n}", CommandFlags.FireAndForget));
    }
}
