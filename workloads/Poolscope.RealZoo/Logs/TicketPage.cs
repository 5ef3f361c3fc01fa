using Real.Running;
using Zoo.Running;

namespace Rail.Tickets;

/// <summary>A web page that logs with ILogger's console provider, thirty lines a request, to a pipe.</summary>
internal static class TicketPage
{
    private const int Lines = 30;

    /// <summary>The pipe's reader is too slow, and the queue of 2,500 messages fills.</summary>
    public static void Slow(Stage stage) => Serve(stage, bytesPerSecond: 20_000);

    /// <summary>The pipe's reader takes everything.</summary>
    public static void Quick(Stage stage) => Serve(stage, bytesPerSecond: 4_000_000);

    private static void Serve(Stage stage, int bytesPerSecond)
    {
        SlowPipe.Attach(stage, bytesPerSecond);
        var builder = Site.NewBuilder();
        builder.Logging.AddFilter("Rail", LogLevel.Information);
        var app = builder.Build();
        var log = app.Services.GetRequiredService<ILoggerFactory>().CreateLogger("Rail.Tickets");
        app.MapGet("/tickets/{train:int}", (int train) => Book(log, train));
        app.Serve(stage, $"/tickets/1@2@0@{Spoken.Of(stage.Onset)}", $"/tickets/2@50@{Spoken.Of(stage.Onset)}@end");
    }

    private static string Book(ILogger log, int train)
    {
        for (var seat = 0; seat < Lines; seat++)
        {
            log.LogInformation("train {Train}: looked at seat {Seat}", train, seat);
        }

        return $"train {train}: seat 31";
    }
}
