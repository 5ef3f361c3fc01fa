using Zoo.Running;

namespace Event.Rush;

/// <summary>A minimum of 400 threads and bursts of 200 items of 60 ms of CPU: short of cores, not of threads.</summary>
internal static class TicketRush
{
    private static double _sum;

    public static void Run(Stage stage)
    {
        ThreadPool.SetMinThreads(400, 400);
        stage.AwaitOnset();
        stage.Pace(0.125, _ =>
        {
            for (var n = 0; n < 200; n++)
            {
                ThreadPool.QueueUserWorkItem(_ => DrawSeat());
            }
        });
    }

    private static void DrawSeat()
    {
        double sum = 0;
        for (var until = ThreadClock.NowMs + 60; ThreadClock.NowMs < until;)
        {
            for (var n = 1; n < 2000; n++)
            {
                sum += Math.Sqrt(n);
            }
        }

        _sum = sum;
    }
}
