using Zoo.Running;

namespace Backup.Night;

/// <summary>A host that waits for the night.</summary>
internal static class NightJob
{
    public static void Run(Stage stage)
    {
        var builder = Site.NewHost();
        builder.Services.AddHostedService<NightRun>();
        builder.Build().Start();
        stage.Rest();
    }
}

public sealed class NightRun : BackgroundService
{
    protected override Task ExecuteAsync(CancellationToken stoppingToken) => Task.Delay(TimeSpan.FromHours(8), stoppingToken);
}
