using System.Threading.Tasks.Dataflow;
using Zoo.Running;

namespace Orders.Etl;

/// <summary>A dataflow of three bounded blocks. A full block makes the sender await.</summary>
internal static class OrderEtl
{
    private static int _stored;

    public static void Run(Stage stage)
    {
        var bounded = new ExecutionDataflowBlockOptions { BoundedCapacity = 50, MaxDegreeOfParallelism = 2 };
        var parse = new TransformBlock<int, double>(Parse, bounded);
        var enrich = new TransformBlock<double, double>(EnrichAsync, bounded);
        var store = new ActionBlock<double>(_ => { Interlocked.Increment(ref _stored); }, bounded);
        var whole = new DataflowLinkOptions { PropagateCompletion = true };
        parse.LinkTo(enrich, whole);
        enrich.LinkTo(store, whole);
        _ = FeedAsync(stage, parse);
    }

    private static async Task FeedAsync(Stage stage, ITargetBlock<int> first)
    {
        for (var order = 0; stage.Now < stage.Seconds; order++)
        {
            await first.SendAsync(order);
            if (order % 10 == 9)
            {
                await Task.Delay(20);
            }
        }
    }

    private static double Parse(int order)
    {
        var sum = 0.0;
        for (var i = 1; i < 20_000; i++)
        {
            sum += Math.Sqrt(order + i);
        }

        return sum;
    }

    private static async Task<double> EnrichAsync(double order)
    {
        await Task.Delay(5);
        return order / 2;
    }
}
