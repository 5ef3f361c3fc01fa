using Zoo.Running;

namespace Plant.Sensors;

/// <summary>An endless loop for each of 150 sensors, started with Task.Run, that sleeps on its thread.</summary>
internal static class SensorLoops
{
    private static int _reads;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var i = 0; i < 150; i++)
        {
            var sensor = i;
            Task.Run(() => Watch(sensor));
        }

        stage.Pace(20, n => ThreadPool.QueueUserWorkItem(_ => Store(n)));
    }

    private static void Watch(int sensor)
    {
        while (true)
        {
            Interlocked.Add(ref _reads, sensor);
            Thread.Sleep(200);
        }
    }

    private static void Store(int value) => Thread.SpinWait(500 + value % 3);
}
