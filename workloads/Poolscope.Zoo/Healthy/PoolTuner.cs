using Zoo.Running;

namespace Trading.Tuning;

/// <summary>Changes the pool's limits while it works, and has enough threads all the time.</summary>
internal static class PoolTuner
{
    public static void Run(Stage stage)
    {
        ThreadPool.SetMinThreads(8, 4);
        stage.Pace(80, n =>
        {
            if (n % 80 == 0)
            {
                Resize(n / 80);
            }

            ThreadPool.QueueUserWorkItem(Price, n, preferLocal: false);
        });
    }

    private static void Resize(int step)
    {
        ThreadPool.SetMaxThreads(step % 2 == 0 ? 64 : 200, 200);
        ThreadPool.SetMinThreads(step % 2 == 0 ? 8 : 16, 4);
    }

    private static void Price(int option)
    {
        double value = option;
        for (var i = 0; i < 20_000; i++)
        {
            value = Math.Sqrt(value + i);
        }

        GC.KeepAlive(value);
    }
}
