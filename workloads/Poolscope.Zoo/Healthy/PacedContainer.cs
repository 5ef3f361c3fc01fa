using Cloud.Tariffs;
using Zoo.Running;

namespace Cloud.Container;

/// <summary>The service of the paused container, not paused: no request comes for three seconds at a time.</summary>
internal static class PacedContainer
{
    public static void Run(Stage stage)
    {
        var app = TariffService.Build();
        app.Serve(stage, "/tariffs/7@60@0@4", "/tariffs/7@60@7@9.5", "/tariffs/7@60@12.5@end");
    }
}
