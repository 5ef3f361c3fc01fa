using Zoo.Running;

namespace Partner.Gateway;

/// <summary>A pool capped at eight threads, and calls that block for 400 ms.</summary>
internal static class PartnerGateway
{
    private static int _forwarded;

    public static void Run(Stage stage)
    {
        stage.LimitThreads(8, 8);
        stage.AwaitOnset();
        stage.Pace(32, n => ThreadPool.QueueUserWorkItem(
            stage.Fixed ? ItemClock.Timed(() => ForwardAsync(n)) : ItemClock.Timed(() => Forward(n))));
    }

    private static async Task ForwardAsync(int order)
    {
        await Task.Delay(400 + order % 5);
        Interlocked.Increment(ref _forwarded);
    }

    private static void Forward(int order)
    {
        try
        {
            Thread.Sleep(400 + order % 5);
            Interlocked.Increment(ref _forwarded);
        }
        catch (ThreadInterruptedException)
        {
            Console.Error.WriteLine($"order {order} was not forwarded");
        }
    }
}
