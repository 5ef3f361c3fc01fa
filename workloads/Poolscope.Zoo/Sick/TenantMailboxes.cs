using System.Collections.Concurrent;
using Zoo.Running;

namespace Chat.Mailboxes;

/// <summary>A consumer for each of 200 tenants, started with Task.Run. Each holds a pool thread forever, and the pool's
/// other work is queued behind them.</summary>
internal static class TenantMailboxes
{
    private static int _archived;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        var boxes = Enumerable.Range(0, 200).Select(_ => new BlockingCollection<string>()).ToArray();
        foreach (var box in boxes)
        {
            Task.Run(() => Consume(box));
        }

        stage.Pace(20, n =>
        {
            boxes[n % 200].Add($"message {n}");
            ThreadPool.QueueUserWorkItem(_ => Archive(n));
        });
    }

    private static void Consume(BlockingCollection<string> box)
    {
        foreach (var message in box.GetConsumingEnumerable())
        {
            _ = message.Length;
        }
    }

    private static void Archive(int message) => Interlocked.Add(ref _archived, message);
}
