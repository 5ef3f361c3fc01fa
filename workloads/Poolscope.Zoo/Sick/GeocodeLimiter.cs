using Zoo.Running;

namespace Maps.Geocoding;

/// <summary>At most 20 calls at a time: the limiter could serve 40 a second, 30 come, and it blocks with
/// SemaphoreSlim.Wait.</summary>
internal static class GeocodeLimiter
{
    private static readonly SemaphoreSlim Slots = new(20);

    public static void Run(Stage stage)
    {
        Action<int> queue = stage.Fixed ? QueueAwaited : Queue;
        stage.AwaitOnset();
        for (var n = 0; n < 40; n++)
        {
            queue(n);
        }

        stage.Pace(30, queue);
    }

    private static void Queue(int address) => ThreadPool.QueueUserWorkItem(ItemClock.Timed(() => LookUpAsync(address)));

    private static void QueueAwaited(int address) =>
        ThreadPool.QueueUserWorkItem(ItemClock.Timed(() => LookUpAwaitedAsync(address)));

    private static async Task LookUpAsync(int address)
    {
        Slots.Wait();
        try
        {
            await Task.Delay(500);
            _ = $"{address}: 48.1, 11.6";
        }
        finally
        {
            Slots.Release();
        }
    }

    private static async Task LookUpAwaitedAsync(int address)
    {
        await Slots.WaitAsync();
        try
        {
            await Task.Delay(500);
            _ = $"{address}: 48.1, 11.6";
        }
        finally
        {
            Slots.Release();
        }
    }
}
