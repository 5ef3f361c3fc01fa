using System.Threading.RateLimiting;
using Microsoft.AspNetCore.RateLimiting;
using Zoo.Running;

namespace Event.Tickets;

/// <summary>A concurrency limiter before the handlers. Requests wait in it for their turn and hold no thread.</summary>
internal static class TicketShop
{
    public static void Run(Stage stage)
    {
        var builder = Site.NewBuilder();
        builder.Services.AddRateLimiter(limits => limits.AddConcurrencyLimiter("box-office", box =>
        {
            box.PermitLimit = 4;
            box.QueueLimit = 1000;
            box.QueueProcessingOrder = QueueProcessingOrder.OldestFirst;
        }));
        var app = builder.Build();
        app.UseRateLimiter();
        app.MapGet("/ticket/{seat:int}", async (int seat) =>
        {
            await Task.Delay(100);
            return $"seat {seat}";
        }).RequireRateLimiting("box-office");
        app.Serve(stage, "/ticket/1@2@0@1", "/ticket/2@50@1@end");
    }
}
