using Cloud.Tariffs;
using Zoo.Running;

namespace Cloud.Container;

/// <summary>A web service whose process stops for three seconds at a time, as when its container is paused.</summary>
internal static class PausedContainer
{
    public static void Run(Stage stage)
    {
        var app = TariffService.Build();
        app.Serve(stage, "/tariffs/7@60@0@end");
        Signals.Pauses(stage, Environment.ProcessId, first: 2, every: 5.5, length: 3);
    }
}
