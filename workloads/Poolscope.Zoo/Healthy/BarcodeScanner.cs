using System.Collections.Concurrent;
using Zoo.Running;

namespace Warehouse.Scanning;

/// <summary>Consumers that block forever, each on a thread of its own (LongRunning), as they should.</summary>
internal static class BarcodeScanner
{
    public static void Run(Stage stage)
    {
        using var scans = new BlockingCollection<string>();
        for (var i = 0; i < 12; i++)
        {
            Task.Factory.StartNew(() => Consume(scans), TaskCreationOptions.LongRunning);
        }

        stage.Pace(100, n =>
        {
            scans.Add($"400{n:0000000000}");
            ThreadPool.QueueUserWorkItem(_ => Beep(n));
        });
    }

    private static void Consume(BlockingCollection<string> scans)
    {
        foreach (var code in scans.GetConsumingEnumerable())
        {
            Thread.Sleep(code.Length);
        }
    }

    private static void Beep(int scan) => Thread.SpinWait(1000 + scan % 7);
}
