using Zoo.Running;

namespace Billing.Run;

/// <summary>Needs 60 % of the machine, beside eight neighbours that want all of it.</summary>
internal static class BillingRun
{
    private const double BillMs = 12;

    public static void Run(Stage stage)
    {
        var neighbours = new Thread(() =>
        {
            stage.AwaitOnset();
            for (var i = 0; i < 4 * Environment.ProcessorCount; i++)
            {
                Child.Start("spin", Spoken.Of(stage.Seconds - stage.Now));
            }
        })
        { IsBackground = true };
        neighbours.Start();
        stage.Pace(50 * Environment.ProcessorCount, n => ThreadPool.QueueUserWorkItem(_ => Rate(n)));
    }

    private static void Rate(int bill)
    {
        var until = ThreadClock.NowMs + BillMs;
        var sum = (uint)bill;
        while (ThreadClock.NowMs < until)
        {
            for (var i = 0; i < 10_000; i++)
            {
                sum = sum * 1664525 + 1013904223;
            }
        }

        GC.KeepAlive(sum);
    }
}
