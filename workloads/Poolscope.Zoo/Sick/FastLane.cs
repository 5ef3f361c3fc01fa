using Zoo.Running;

namespace Ads.Bidding;

/// <summary>
/// A web service tuned like a benchmark: sockets complete inline, and Kestrel continues there. One bid in fifty blocks
/// for 1.5 s, on the thread that reads all sockets.
/// </summary>
internal static class FastLane
{
    private static int _asked;

    public static void Run(Stage stage) => Serve(stage, "/bids", Bid);

    public static void Quick(Stage stage) => Serve(stage, "/quick-bids", QuickBid);

    private static void Serve(Stage stage, string path, Func<int, string> bid)
    {
        if (Environment.GetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS") != "1")
        {
            throw new InvalidOperationException("needs DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS=1 in its environment");
        }

        var builder = Site.NewBuilder();
        builder.WebHost.UseSockets(sockets => sockets.UnsafePreferInlineScheduling = true);
        var app = builder.Build();
        app.MapGet(path + "/{slot:int}", (int slot) => bid(slot));
        app.Serve(stage, $"{path}/0@50@0@{Spoken.Of(stage.Onset)}", $"{path}/1@50@{Spoken.Of(stage.Onset)}@end");
    }

    private static string Bid(int slot)
    {
        if (slot == 1 && Interlocked.Increment(ref _asked) % 50 == 0)
        {
            return $"slot {slot}: {LoadCampaign(slot)} ct";
        }

        return $"slot {slot}: 3 ct";
    }

    private static string QuickBid(int slot) => $"slot {slot}: {Interlocked.Increment(ref _asked) % 9} ct";

    private static int LoadCampaign(int slot)
    {
        Thread.Sleep(1500);
        return slot + 4;
    }
}
