using Real.Running;
using Serilog;
using Zoo.Running;

namespace Shop.Search;

/// <summary>A web page that logs with Serilog to the console, which is a pipe.</summary>
internal static class SearchPage
{
    private static readonly string Details = new('d', 1200);

    /// <summary>The pipe's reader is four times too slow.</summary>
    public static void Slow(Stage stage) => Serve(stage, new LoggerConfiguration().WriteTo.Console(), bytesPerSecond: 16_000);

    /// <summary>The same pipe, behind Serilog's background thread, which drops lines that it cannot write.</summary>
    public static void Background(Stage stage) =>
        Serve(stage, new LoggerConfiguration().WriteTo.Async(to => to.Console(), bufferSize: 200, blockWhenFull: false), bytesPerSecond: 16_000);

    private static void Serve(Stage stage, LoggerConfiguration log, int bytesPerSecond)
    {
        SlowPipe.Attach(stage, bytesPerSecond);
        Log.Logger = log.CreateLogger();
        var app = Site.NewBuilder().Build();
        app.MapGet("/search/{word}", (string word) => Find(word));
        app.Serve(stage, $"/search/hat@2@0@{Spoken.Of(stage.Onset)}", $"/search/coat@50@{Spoken.Of(stage.Onset)}@end");
    }

    private static string Find(string word)
    {
        Log.Information("searched for {Word}: {Details}", word, Details);
        return $"{word}: 12 hits";
    }
}
