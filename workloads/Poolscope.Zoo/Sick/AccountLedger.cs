using Zoo.Running;

namespace Bank.Ledger;

/// <summary>One lock for the whole ledger, held 40 ms for a write to disk; there are threads enough.</summary>
internal static class AccountLedger
{
    private static readonly object Book = new();

    public static void Run(Stage stage)
    {
        ThreadPool.SetMinThreads(250, 250);
        stage.AwaitOnset();
        stage.Pace(40, n => ThreadPool.QueueUserWorkItem(_ => Post(n)));
    }

    private static void Post(int entry)
    {
        lock (Book)
        {
            Thread.Sleep(40 + entry % 2);
        }
    }
}
