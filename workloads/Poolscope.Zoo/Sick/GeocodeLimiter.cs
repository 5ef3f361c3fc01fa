using Zoo.Running;

namespace Maps.Geocoding;

/// <summary>At most 20 calls at a time: the limiter would serve 40 a second, 30 come, and it blocks with
/// SemaphoreSlim.Wait.</summary>
internal static class GeocodeLimiter
{
    private static readonly SemaphoreSlim Slots = new(20);

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var n = 0; n < 40; n++)
        {
            Queue(n);
        }

        stage.Pace(30, Queue);
    }

    private static void Queue(int address) => ThreadPool.QueueUserWorkItem(_ => _ = LookUpAsync(address));

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
}
