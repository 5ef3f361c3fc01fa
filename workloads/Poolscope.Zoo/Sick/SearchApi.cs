using Zoo.Running;

namespace Shop.Search;

/// <summary>Every search sleeps for its index: 800 ms on a pool thread, 25 times a second.</summary>
internal static class SearchApi
{
    public static void Run(Stage stage)
    {
        var app = Site.NewBuilder().Build();
        if (stage.Fixed)
        {
            app.MapGet("/search/{word}", (string word) => Index.FindAsync(word));
        }
        else
        {
            app.MapGet("/search/{word}", (string word) => Index.Find(word));
        }

        app.Serve(stage, "/search/shoe@1@0@2", "/search/sock@25@2@end");
    }
}

internal static class Index
{
    public static string Find(string word)
    {
        Thread.Sleep(800);
        return $"3 hits for {word}";
    }

    public static async Task<string> FindAsync(string word)
    {
        await Task.Delay(800);
        return $"3 hits for {word}";
    }
}
