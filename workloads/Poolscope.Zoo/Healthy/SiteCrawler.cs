using Zoo.Running;

namespace Search.Crawler;

/// <summary>A console tool of the old kind: Main blocks on its tasks, so the main thread waits, not the pool.</summary>
internal static class SiteCrawler
{
    public static void Run(Stage stage)
    {
        using var http = new HttpClient { BaseAddress = new Uri(Child.Remote(stage, delayMs: 120)) };
        using var eight = new SemaphoreSlim(8);
        // A crawl takes 0.6 s, or twice as long on a busy machine, and the service ends with the stage.
        while (stage.Now < stage.Seconds - 1.5)
        {
            CrawlAsync(http, eight).GetAwaiter().GetResult();
        }
    }

    private static async Task<int> CrawlAsync(HttpClient http, SemaphoreSlim eight)
    {
        var pages = await Task.WhenAll(Enumerable.Range(0, 40).Select(async page =>
        {
            await eight.WaitAsync();
            try
            {
                return await http.GetStringAsync($"page/{page}");
            }
            finally
            {
                eight.Release();
            }
        }));
        return pages.Sum(page => page.Length);
    }
}
