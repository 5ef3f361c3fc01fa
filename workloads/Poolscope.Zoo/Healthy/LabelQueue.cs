using System.Threading.Channels;
using Zoo.Running;

namespace Shipping.Labels;

/// <summary>A hosted service that works on a queue, which requests fill.</summary>
internal static class LabelQueue
{
    public static void Run(Stage stage)
    {
        var builder = Site.NewBuilder();
        builder.Services.AddSingleton(Channel.CreateUnbounded<int>());
        builder.Services.AddHostedService<LabelPrinter>();
        var app = builder.Build();
        app.MapPost("/label/{parcel:int}", (int parcel, Channel<int> queue) => queue.Writer.TryWrite(parcel));
        app.MapGet("/label/{parcel:int}", (int parcel, Channel<int> queue) => queue.Writer.TryWrite(parcel));
        app.Serve(stage, "/label/1@5@0@1.5", "/label/2@80@1.5@end");
    }
}

public sealed class LabelPrinter(Channel<int> queue) : IHostedService
{
    private Task? _work;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _work = Task.Run(PrintAsync, cancellationToken);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => _work ?? Task.CompletedTask;

    private async Task PrintAsync()
    {
        await foreach (var parcel in queue.Reader.ReadAllAsync())
        {
            await Task.Delay(parcel % 5);
        }
    }
}
