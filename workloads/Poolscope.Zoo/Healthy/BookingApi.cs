using Zoo.Running;

namespace Travel.Booking;

/// <summary>Blocks for 150 ms in every request, and has enough threads: 60 for the six that it needs.</summary>
internal static class BookingApi
{
    public static void Run(Stage stage)
    {
        ThreadPool.SetMinThreads(60, 60);
        var app = Site.NewBuilder().Build();
        app.MapGet("/booking/{id:int}", (int id) => Find(id));
        app.Serve(stage, "/booking/1@4@0@1", "/booking/2@40@1@end");
    }

    private static string Find(int id)
    {
        Thread.Sleep(150);
        return $"booking {id}";
    }
}
