namespace Poolscope.Fuzz.Dumps;

/// <summary>The process whose dump is damaged: two threads, both blocked, with items of every kind queued behind
/// them.</summary>
internal static class DumpTarget
{
    public const string Verb = "dump-target";

    private const int Items = 40;

    public static int Run()
    {
        ThreadPool.SetMinThreads(2, 2);
        ThreadPool.SetMaxThreads(2, 2);
        var held = new object();
        var never = new TaskCompletionSource<int>();
        lock (held)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_ => Enter(held), null);
            ThreadPool.UnsafeQueueUserWorkItem(_ => Block(never.Task), null);
            Thread.Sleep(300);
            for (var i = 0; i < Items; i++)
            {
                ThreadPool.QueueUserWorkItem(static state => Thread.Sleep(state), i, preferLocal: false);
                _ = Task.Run(() => Thread.Sleep(1));
                _ = AwaitAsync();
            }

            using var timer = new Timer(static _ => Thread.Sleep(1), null, 1, 100);
            Thread.Sleep(300);
            Console.WriteLine("ready");
            Thread.Sleep(Timeout.Infinite);
        }

        return 0;
    }

    private static void Enter(object held)
    {
        lock (held)
        {
            Console.WriteLine("never");
        }
    }

    private static void Block(Task<int> task) => task.Wait();

    private static async Task AwaitAsync()
    {
        await Task.Yield();
        Thread.Sleep(1);
    }
}
