using Zoo.Running;

namespace Ops.Agent;

/// <summary>Forty timers of 100 ms that each note a value; the environment sets a minimum of 28 threads.</summary>
internal static class StatusAgent
{
    private static int _values;

    public static void Run(Stage stage)
    {
        for (var i = 0; i < 40; i++)
        {
            var sensor = i;
            _ = Watch(sensor);
        }

        stage.Rest();
    }

    private static async Task Watch(int sensor)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(100));
        while (await timer.WaitForNextTickAsync())
        {
            Interlocked.Add(ref _values, sensor);
        }
    }
}
