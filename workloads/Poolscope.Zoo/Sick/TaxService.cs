using Zoo.Running;

namespace Billing.Tax;

/// <summary>Tables that a static constructor loads for five seconds.</summary>
internal static class TaxService
{
    public static void Run(Stage stage)
    {
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
        Thread.Sleep(5000);
        Rates = [0.07m, 0.19m, 0.25m];
    }

    public static decimal Rate(int kind) => Rates[kind];
}
