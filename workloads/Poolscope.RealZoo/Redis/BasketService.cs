using Real.Running;
using StackExchange.Redis;
using Zoo.Running;

namespace Shop.Basket;

/// <summary>A web service over Redis, with its one multiplexed connection.</summary>
internal static class BasketService
{
    private const int Roomy = 24;

    /// <summary>Awaited calls, while Redis stops answering for three seconds at a time.</summary>
    public static void Paused(Stage stage)
    {
        Serve(stage, rate: 50, synchronous: false);
        Signals.Pauses(stage, Servers.RedisProcess, first: 1, every: 6, length: 3);
    }

    /// <summary>Synchronous calls with enough threads; Redis stops answering for three seconds at a time.</summary>
    public static void SyncPaused(Stage stage)
    {
        stage.LimitThreads(Roomy);
        Serve(stage, rate: 50, synchronous: true);
        Signals.Pauses(stage, Servers.RedisProcess, first: 1, every: 6, length: 3);
    }

    /// <summary>Awaited calls, while now and then another client's script occupies all of Redis for 1.5 s.</summary>
    public static void BehindScript(Stage stage)
    {
        Serve(stage, rate: 50, synchronous: false);
        var moments = new List<string>();
        for (var at = stage.Onset + 0.5; at < stage.LoadEnd - 3; at += 4)
        {
            moments.Add(Spoken.Of(at - stage.Now));
        }

        Child.Start(["report-script", .. moments]);
    }

    /// <summary>Awaited calls.</summary>
    public static void Awaited(Stage stage) => Serve(stage, rate: 80, synchronous: false);

    /// <summary>Synchronous calls that take a fraction of a millisecond, with enough threads.</summary>
    public static void SyncRoomy(Stage stage)
    {
        stage.LimitThreads(Roomy);
        Serve(stage, rate: 50, synchronous: true);
    }

    /// <summary>Synchronous calls on the default minimum: the library needs a pool thread to complete them, and all block.</summary>
    public static void Sync(Stage stage) => Serve(stage, rate: 50, synchronous: true);

    /// <summary>Runs the script: <c>real-zoo report-script AT...</c>.</summary>
    public static int Report(string[] moments)
    {
        var redis = ConnectionMultiplexer.Connect(Servers.Redis + ",syncTimeout=20000");
        var start = DateTime.UtcNow;
        foreach (var at in moments)
        {
            Thread.Sleep(TimeSpan.FromSeconds(Math.Max(0, Spoken.Number(at) - (DateTime.UtcNow - start).TotalSeconds)));
            redis.GetDatabase().ScriptEvaluate(
                "local from = redis.call('time'); local now = from; while (now[1] - from[1]) * 1e6 + now[2] - from[2] < 1.5e6 do now = redis.call('time') end; return 1");
        }

        return 0;
    }

    private static void Serve(Stage stage, int rate, bool synchronous)
    {
        var redis = ConnectionMultiplexer.Connect(Servers.Redis + ",syncTimeout=20000,asyncTimeout=20000");
        var store = new BasketStore(redis.GetDatabase());
        store.Put("basket:8", "3 articles");
        var app = Site.NewBuilder().Build();
        if (synchronous)
        {
            app.MapGet("/baskets/{user:int}", (int user) => store.Load(user));
        }
        else
        {
            app.MapGet("/baskets/{user:int}", (int user) => store.LoadAsync(user));
        }

        app.Serve(stage, $"/baskets/8@{rate}@0@end");
    }
}

internal sealed class BasketStore(IDatabase redis)
{
    public void Put(string key, string value) => redis.StringSet(key, value);

    public string Load(int user)
    {
        string? basket = redis.StringGet($"basket:{user}");
        return basket ?? "empty";
    }

    public async Task<string> LoadAsync(int user)
    {
        string? basket = await redis.StringGetAsync($"basket:{user}");
        return basket ?? "empty";
    }
}
