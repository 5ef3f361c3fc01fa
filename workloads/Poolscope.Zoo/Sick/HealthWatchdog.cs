using Zoo.Running;

namespace Ops.Watchdog;

/// <summary>Timers of 200 ms whose callbacks block for a second: they overlap and pile up.</summary>
internal static class HealthWatchdog
{
    private static readonly List<Timer> Timers = [];
    private static int _alive;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var i = 0; i < 8; i++)
        {
            Timers.Add(new Timer(Check, i, 50 * i, 200));
        }
    }

    private static void Check(object? server)
    {
        try
        {
            Thread.Sleep(1000 + (int)server!);
            Interlocked.Increment(ref _alive);
        }
        catch (ThreadInterruptedException)
        {
            Console.Error.WriteLine($"server {server} does not answer");
        }
    }
}
