using System.Globalization;
using System.Runtime.CompilerServices;

// The programs that the live tests record on every supported runtime. Arguments: sleep|spin|locks|web SECONDS. Each
// prints "ready" once it queues work items, 50 a second of its own or as many requests. calls SECONDS CONNECTIONS LOG
// calls itself through HttpClient; inner SECONDS LOG does so with calls inside calls. activities SECONDS LOG [listen]
// runs activities without a web server. flood queues as many empty items as the pool takes, and answers each line of
// its input with a reading, for the benchmark of overhead.
var until = Environment.TickCount64 + (1000L * int.Parse(args[1], CultureInfo.InvariantCulture));
switch (args[0])
{
    case "sleep":
        Console.WriteLine("ready");
        Produce(until, () => Task.Run(Work.Sleep));
        break;

    case "spin":
        Console.WriteLine("ready");
        Produce(until, () => ThreadPool.UnsafeQueueUserWorkItem(_ => Work.Spin(), null));
        break;

    case "locks":
        new Thread(Work.Hold) { IsBackground = true, Name = "holder" }.Start();
        Console.WriteLine("ready");
        Produce(until, () => Task.Run(Work.Contend));
        break;

    case "calls":
        await Calls.Run(until, int.Parse(args[2], CultureInfo.InvariantCulture), args[3]);
        break;

    case "activities":
        Activities.Run(until, args[2], listen: args.Contains("listen"));
        break;

    case "inner":
        await InnerCalls.Run(until, args[2]);
        break;

    case "flood":
        Flood.Run();
        break;

    case "web":
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.MapGet("/blocked", Work.Blocked);
        await app.StartAsync();
        var address = new Uri(app.Urls.First() + "/blocked");
        Console.WriteLine("ready");
        for (var i = 0; i < 8; i++)
        {
            // Dedicated threads, so that the clients do not wait for the pool.
            new Thread(() => Ask(address)) { IsBackground = true }.Start();
        }

        Produce(until, static () => { });
        break;
}

static void Produce(long until, Action queue)
{
    while (Environment.TickCount64 < until)
    {
        queue();
        Thread.Sleep(20);
    }
}

static void Ask(Uri address)
{
    using var client = new HttpClient();
    while (true)
    {
        using var answer = client.Send(new HttpRequestMessage(HttpMethod.Get, address));
    }
}

/// <summary>Methods that are never inlined. .NET 10 makes the handler of a request a part of a dynamic method, and its
/// name is then on no stack.</summary>
internal static class Work
{
    private static readonly object _gate = new();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Sleep() => Thread.Sleep(200);

    /// <summary>Holds the lock nearly all the time, forever.</summary>
    public static void Hold()
    {
        while (true)
        {
            lock (_gate)
            {
                Thread.Sleep(50);
            }

            Thread.Sleep(1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Contend()
    {
        lock (_gate)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Spin()
    {
        for (var end = Environment.TickCount64 + 15; Environment.TickCount64 < end;)
        {
            Thread.SpinWait(1000);
        }
    }

    /// <summary>Blocks a request on a task (sync over async).</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static IResult Blocked()
    {
        Task.Delay(100).Wait();
        return Results.Ok();
    }
}
