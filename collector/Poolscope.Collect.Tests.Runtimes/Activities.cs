using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;

/// <summary>A worker without a web server. It runs activities of several shapes and logs each by its own
/// clock.</summary>
internal static class Activities
{
    private const string WorkerName = "Poolscope.Tests.Worker";
    private const int PauseMs = 20;

    private static readonly ActivitySource Worker = new(WorkerName);
    private static readonly ActivitySource Other = new("Poolscope.Tests.Other");
    private static readonly ConcurrentQueue<string> Written = new();

    /// <summary>Works until the time is over.</summary>
    /// <param name="log">Path of the log of the worker's activities: operation, span id, begin and end in ns of the
    /// monotonic clock.</param>
    /// <param name="listen">Whether the program has a listener of its own, so that its activities exist before a
    /// recording begins.</param>
    public static void Run(long until, string log, bool listen)
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == WorkerName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
        };
        if (listen)
        {
            ActivitySource.AddActivityListener(listener);
        }

        // More than one thread for each shape, so that queued items do not wait for the pool's growth.
        ThreadPool.SetMinThreads(16, 16);
        _ = Worker.StartActivity("never-stopped");
        Activity.Current = null;
        Console.WriteLine("ready");
        Task[] shapes =
        [
            Repeat("delay", () => Task.Delay(PauseMs)),
            Repeat("spin", Now(Spin)),
            Repeat("sleep", Now(() => Thread.Sleep(PauseMs))),
            Repeat("hop", async () =>
            {
                Spin();
                await Task.Run(Spin);
            }),
            Repeat("outer", () => Told("inner", () => Task.Delay(PauseMs))),
            Task.Factory.StartNew(
                () =>
                {
                    while (Environment.TickCount64 < until)
                    {
                        Told("own-thread", Now(() => Thread.Sleep(PauseMs))).GetAwaiter().GetResult();
                    }
                },
                TaskCreationOptions.LongRunning),
            Task.Run(async () =>
            {
                while (Environment.TickCount64 < until)
                {
                    var started = Told("started-and-left", () => Task.Delay(3 * PauseMs));
                    // The activity awaits at once, and the item goes on with work of its own.
                    ThreadPool.UnsafeQueueUserWorkItem(static _ => { }, null);
                    Spin();
                    await started;
                }
            }),
            Task.Run(async () =>
            {
                while (Environment.TickCount64 < until)
                {
                    using var secret = Other.StartActivity("other");
                    secret?.SetTag("customer", "secret-tag");
                    await Task.Delay(PauseMs);
                }
            }),
        ];
        Task.WaitAll(shapes);
        File.WriteAllLines(log, Written);

        Task Repeat(string operation, Func<Task> work) => Task.Run(async () =>
        {
            while (Environment.TickCount64 < until)
            {
                await Told(operation, work);
            }
        });
    }

    private static async Task Told(string operation, Func<Task> work)
    {
        var begin = Stopwatch.GetTimestamp();
        var activity = Worker.StartActivity(operation);
        activity?.SetTag("customer", "secret-tag");
        await work();
        activity?.Stop();
        if (activity is not null)
        {
            Written.Enqueue(string.Create(CultureInfo.InvariantCulture, $"{operation},{activity.SpanId},{begin},{Stopwatch.GetTimestamp()}"));
        }
    }

    private static Func<Task> Now(Action work) => () =>
    {
        work();
        return Task.CompletedTask;
    };

    private static void Spin()
    {
        var begin = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(begin).TotalMilliseconds < 4)
        {
            Thread.SpinWait(100);
        }
    }
}
