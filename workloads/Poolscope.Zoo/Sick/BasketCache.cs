using StackExchange.Redis;
using Zoo.Running;

namespace Shop.Baskets;

/// <summary>Reads baskets with the synchronous methods of StackExchange.Redis; the cache becomes slow.</summary>
internal static class BasketCache
{
    public static void Run(Stage stage)
    {
        var options = new ConfigurationOptions { AbortOnConnectFail = false, SyncTimeout = 30_000, AsyncTimeout = 30_000 };
        options.EndPoints.Add(Child.Redis(stage, delayMs: 1, slowMs: 500));
        using var redis = ConnectionMultiplexer.Connect(options);
        var baskets = new Baskets(redis.GetDatabase());
        stage.Pace(20, n => ThreadPool.QueueUserWorkItem(_ => baskets.Load(n)));
    }
}

internal sealed class Baskets(IDatabase cache)
{
    private long _found;

    public void Load(int customer)
    {
        if (cache.StringGet($"basket:{customer}").HasValue)
        {
            Interlocked.Increment(ref _found);
        }
    }
}
