using Zoo.Running;

namespace Crm.Export;

/// <summary>At most eight exports at a time, and waiting blocks no thread: SemaphoreSlim.WaitAsync.</summary>
internal static class ExportLimiter
{
    private static readonly SemaphoreSlim Slots = new(8);

    public static void Run(Stage stage)
    {
        var app = Site.NewBuilder().Build();
        app.MapGet("/export/{customer:int}", ExportAsync);
        app.Serve(stage, "/export/1@5@0@1.5", "/export/2@60@1.5@end");
    }

    private static async Task<string> ExportAsync(int customer)
    {
        await Slots.WaitAsync();
        try
        {
            await Task.Delay(100);
            return $"customer {customer}";
        }
        finally
        {
            Slots.Release();
        }
    }
}
