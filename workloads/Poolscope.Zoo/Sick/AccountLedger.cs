using Zoo.Running;

namespace Bank.Ledger;

/// <summary>One lock for the whole ledger, held for 40 ms by each write to disk. There are enough threads.</summary>
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
