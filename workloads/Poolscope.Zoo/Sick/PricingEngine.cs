using Zoo.Running;

namespace Options.Pricing;

/// <summary>Iterations that never converge: two endless loops hold both pool threads and both cores.</summary>
internal static class PricingEngine
{
    private static double _last;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var i = 0; i < Environment.ProcessorCount; i++)
        {
            ThreadPool.QueueUserWorkItem(_ => Solve(2.0));
        }

        stage.Pace(20, n => ThreadPool.QueueUserWorkItem(_ => Quote(n)));
    }

    private static void Solve(double guess)
    {
        var x = guess;
        while (Math.Abs(x * x - 3) > 0)
        {
            x = (x + 3 / x) / 2 + 1e-3;
        }

        _last = x;
    }

    private static void Quote(int option) => _last = option * 0.5;
}
