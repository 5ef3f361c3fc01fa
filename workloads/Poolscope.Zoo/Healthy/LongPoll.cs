using Zoo.Running;

namespace Notify.LongPoll;

/// <summary>Long polling: a timer answers each request after 3 s. About 120 are open and hold no thread.</summary>
internal static class LongPoll
{
    public static void Run(Stage stage)
    {
        var app = Site.NewBuilder().Build();
        app.MapGet("/news/{user:int}", async (int user, CancellationToken gone) =>
        {
            await Task.Delay(3000, gone);
            return $"no news for {user}";
        });
        app.Serve(stage, "/news/1@5@0@1", "/news/2@40@1@end");
    }
}
