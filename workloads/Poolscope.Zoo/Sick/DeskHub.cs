using Microsoft.AspNetCore.SignalR;
using Zoo.Running;

namespace Support.Desk;

/// <summary>
/// A SignalR hub. The calls of one connection run one after another, so a ping waits for the export before it, which
/// blocks for two seconds.
/// </summary>
internal sealed class DeskHub : Hub
{
    public static void Run(Stage stage)
    {
        var builder = Site.NewBuilder();
        builder.Services.AddSignalR();
        var app = builder.Build();
        app.MapHub<DeskHub>("/desk");
        app.Start();
        var onset = Spoken.Of(stage.Onset);
        HubClient.Start(stage, app.Urls.First() + "/desk", 4, "Ping@10@0@99", $"Export@0.25@{onset}@99@first");
    }

    public string Ping(int desk) => $"desk {desk} is here";

    public string Export(int desk)
    {
        Thread.Sleep(2000);
        return $"desk {desk}: 312 tickets";
    }
}
