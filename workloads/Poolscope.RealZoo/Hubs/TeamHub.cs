using Microsoft.AspNetCore.SignalR;
using Zoo.Running;

namespace Team.Chat;

/// <summary>A SignalR hub with an export that awaits for two seconds. The calls of one connection run one after
/// another, unless more are allowed at once.</summary>
internal sealed class TeamHub : Hub
{
    public static void InTurn(Stage stage) => Serve(stage, atOnce: 1);

    public static void AtOnce(Stage stage) => Serve(stage, atOnce: 8);

    public string Ping(int member) => $"member {member} is here";

    public async Task<string> Export(int member)
    {
        await Task.Delay(2000);
        return $"member {member}: 312 messages";
    }

    private static void Serve(Stage stage, int atOnce)
    {
        var builder = Site.NewBuilder();
        builder.Services.AddSignalR(hub => hub.MaximumParallelInvocationsPerClient = atOnce);
        var app = builder.Build();
        app.MapHub<TeamHub>("/team");
        app.Start();
        HubClient.Start(stage, app.Urls.First() + "/team", 4, "Ping@10@0@99", $"Export@0.25@{Spoken.Of(stage.Onset)}@99@first");
    }
}
