using Zoo.Running;

namespace Bank.Payments;

/// <summary>A minimal API that calls GetAwaiter().GetResult() on an async method of its own.</summary>
internal static class Payments
{
    public static void Run(Stage stage)
    {
        var app = Site.NewBuilder().Build();
        if (stage.Fixed)
        {
            app.MapGet("/transfer/{account:int}", (int account) => Ledger.BookAsync(account));
        }
        else
        {
            app.MapGet("/transfer/{account:int}", (int account) => Ledger.Book(account));
        }

        app.Serve(stage, "/transfer/1@1@0@2", "/transfer/2@60@2@end");
    }
}

internal static class Ledger
{
    public static string Book(int account) => BookAsync(account).GetAwaiter().GetResult();

    public static async Task<string> BookAsync(int account)
    {
        await Task.Delay(200);
        await Task.Run(() => Audit(account));
        return $"booked on {account}";
    }

    private static void Audit(int account) => Thread.SpinWait(500 + account);
}
