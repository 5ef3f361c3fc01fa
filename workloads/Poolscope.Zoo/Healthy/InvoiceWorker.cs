using Zoo.Running;

namespace InvoiceWorker;

/// <summary>A BackgroundService with a PeriodicTimer.</summary>
internal static class Service
{
    public static void Run(Stage stage)
    {
        var builder = Site.NewHost();
        builder.Services.AddHostedService<InvoiceRun>();
        builder.Build().Start();
        stage.Rest();
    }
}

public sealed class InvoiceRun(ILogger<InvoiceRun> log) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(100));
        var open = Enumerable.Range(1000, 40).ToList();
        while (await timer.WaitForNextTickAsync(stoppingToken))
        {
            foreach (var invoice in open)
            {
                await WriteAsync(invoice, stoppingToken);
            }

            log.LogDebug("{Count} invoices", open.Count);
        }
    }

    private static async Task WriteAsync(int invoice, CancellationToken stop)
    {
        var text = $"Invoice {invoice}: {invoice * 1.19m:0.00} EUR";
        await Task.Yield();
        stop.ThrowIfCancellationRequested();
        _ = text.Length;
    }
}
