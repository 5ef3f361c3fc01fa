using Hangfire;
using Hangfire.InMemory;
using Zoo.Running;

namespace Mail.Jobs;

/// <summary>Hangfire beside a web page. Its workers are dedicated threads, which a job may hold. A job that spreads its
/// blocking work over the pool takes the pool from the page.</summary>
internal static class MailJobs
{
    /// <summary>Each job blocks a worker of Hangfire.</summary>
    public static void OwnWorkers(Stage stage) => Serve(stage, n => BackgroundJob.Enqueue(() => Newsletter.Send(n)), perSecond: 8);

    /// <summary>Each job blocks in Parallel.ForEach.</summary>
    public static void Spread(Stage stage) => Serve(stage, n => BackgroundJob.Enqueue(() => Newsletter.SendAll(n)), perSecond: 4);

    private static void Serve(Stage stage, Action<int> enqueue, double perSecond)
    {
        var builder = Site.NewBuilder();
        builder.Services.AddHangfire(hangfire => hangfire.UseInMemoryStorage());
        builder.Services.AddHangfireServer(server => server.WorkerCount = 10);
        var app = builder.Build();
        app.MapGet("/mails", async () =>
        {
            await Task.Delay(2);
            return "sent";
        });
        app.Serve(stage, "/mails@30@0@end");
        stage.AwaitOnset();
        stage.Pace(perSecond, enqueue);
    }
}

public static class Newsletter
{
    public static void Send(int number)
    {
        Thread.Sleep(300);
        Console.Error.Write(number < 0 ? "?" : "");
    }

    public static void SendAll(int number)
    {
        var sent = 0;
        Parallel.ForEach(Enumerable.Range(0, 16), reader =>
        {
            Thread.Sleep(250 + reader % 3);
            Interlocked.Increment(ref sent);
        });
        Console.Error.Write(sent < 16 ? $"{number}: {sent} sent" : "");
    }
}
