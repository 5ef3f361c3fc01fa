using Real.Running;
using Zoo.Running;

namespace Energy.Tariffs;

/// <summary>A web site behind nginx, to which the clients connect.</summary>
internal static class TariffSite
{
    /// <summary>Requests block for 0.4 s.</summary>
    public static void Blocking(Stage stage)
    {
        var app = Build();
        app.MapGet("/tariffs/{zone:int}", (int zone) => Quote(zone));
        Serve(app, stage, 30);
    }

    /// <summary>Requests await 5 ms.</summary>
    public static void Awaited(Stage stage)
    {
        var app = Build();
        app.MapGet("/tariffs/{zone:int}", async (int zone) =>
        {
            await Task.Delay(5);
            return $"zone {zone}: 31 ct";
        });
        Serve(app, stage, 60);
    }

    private static WebApplication Build()
    {
        var builder = Site.NewBuilder();
        builder.WebHost.UseUrls(Servers.NginxBack);
        return builder.Build();
    }

    private static void Serve(WebApplication app, Stage stage, int rate)
    {
        app.Start();
        var onset = Spoken.Of(stage.Onset);
        Child.Clients(stage, Servers.NginxFront, $"/tariffs/1@2@0@{onset}", $"/tariffs/2@{rate}@{onset}@end");
    }

    private static string Quote(int zone)
    {
        if (zone > 1)
        {
            Thread.Sleep(400);
        }

        return $"zone {zone}: 31 ct";
    }
}
