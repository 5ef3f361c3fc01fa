using Zoo.Running;

namespace Billing.Tax;

/// <summary>Tables that a static constructor takes seconds to load.</summary>
internal static class TaxService
{
    public static TimeSpan Loading { get; private set; }

    public static void Run(Stage stage)
    {
        Loading = TimeSpan.FromSeconds(0.85 * (stage.Seconds - stage.Onset));
        stage.AwaitOnset();
        stage.Pace(40, n => ThreadPool.QueueUserWorkItem(_ => Compute(n)));
    }

    private static void Compute(int invoice) => _ = TaxTables.Rate(invoice % 3) * invoice;
}

internal static class TaxTables
{
    private static readonly decimal[] Rates;

    static TaxTables()
    {
        Thread.Sleep(TaxService.Loading);
        Rates = [0.07m, 0.19m, 0.25m];
    }

    public static decimal Rate(int kind) => Rates[kind];
}
