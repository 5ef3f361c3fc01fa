using Zoo.Running;

namespace Market.Board;

/// <summary>
/// Two hundred requests wait for the next price list. Publishing it cancels one token, which renders their boards one
/// after another, 100 ms each.
/// </summary>
internal static class PriceBoard
{
    private const int Boards = 200;
    private static int _waiting;

    public static void Run(Stage stage)
    {
        var published = new CancellationTokenSource();
        var app = Site.NewBuilder().Build();
        app.MapGet("/boards/{shop:int}", async (int shop) =>
        {
            await NextListAsync(published.Token);
            return Render(shop);
        });
        app.Serve(stage, $"/boards/3@x{Boards}@{Spoken.Of(stage.Onset - 1.2)}");
        AwaitBoards(stage);
        ThreadPool.QueueUserWorkItem(_ => Publish(published));
    }

    public static void Posted(Stage stage)
    {
        var published = new CancellationTokenSource();
        var app = Site.NewBuilder().Build();
        app.MapGet("/boards/{shop:int}", async (int shop) =>
        {
            var next = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            using var registered = published.Token.Register(next.SetResult);
            Interlocked.Increment(ref _waiting);
            await next.Task;
            return await RenderAsync(shop);
        });
        app.Serve(stage, $"/boards/3@x{Boards}@{Spoken.Of(stage.Onset - 1.2)}");
        AwaitBoards(stage);
        _ = published.CancelAsync();
    }

    /// <summary>Waits for the onset, and up to 3 s until all requests wait: a late one does not wait.</summary>
    private static void AwaitBoards(Stage stage)
    {
        stage.AwaitOnset();
        while (Volatile.Read(ref _waiting) < Boards && stage.Now < stage.Onset + 3)
        {
            Thread.Sleep(20);
        }
    }

    private static void Publish(CancellationTokenSource published)
    {
        published.Cancel();
        Console.Error.WriteLine("published");
    }

    private static async Task NextListAsync(CancellationToken published)
    {
        var next = new TaskCompletionSource();
        using var registered = published.Register(next.SetResult);
        Interlocked.Increment(ref _waiting);
        await next.Task;
    }

    private static string Render(int shop)
    {
        Thread.Sleep(100);
        return $"shop {shop}: 1,204 prices";
    }

    private static async Task<string> RenderAsync(int shop)
    {
        await Task.Delay(100);
        return $"shop {shop}: 1,204 prices";
    }
}
