using System.Diagnostics;
using System.Globalization;

// The programs that the collector's live tests record. Arguments: VERB [NUMBER].
var number = args.Length > 1 ? int.Parse(args[1], CultureInfo.InvariantCulture) : 0;
switch (args.FirstOrDefault())
{
    // Prints a line and exits with the number as its exit code.
    case "exit":
        Console.WriteLine("hello from the target");
        return number;

    // Queues one work item every 10 ms for this many ms.
    case "work":
        Console.WriteLine("ready");
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < number;)
        {
            ThreadPool.QueueUserWorkItem(_ => Thread.SpinWait(1000));
            Thread.Sleep(10);
        }

        return 0;

    // Queues a work item every 10 ms for this many ms. After a third of the time, also queues items that block for a
    // second each, ten times as many as a small pool has threads.
    case "starve":
        Console.WriteLine("ready");
        var blocked = false;
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < number;)
        {
            for (var i = 0; !blocked && watch.ElapsedMilliseconds > number / 3 && i < 10 * Environment.ProcessorCount; i++)
            {
                ThreadPool.QueueUserWorkItem(_ => Thread.Sleep(1000));
            }

            blocked |= watch.ElapsedMilliseconds > number / 3;
            ThreadPool.QueueUserWorkItem(_ => Thread.SpinWait(1000));
            Thread.Sleep(10);
        }

        return 0;

    // Prints its pid, and then every 20 ms for this many ms how many work items have run, so that a reader sees it go
    // on.
    case "beat":
        Console.WriteLine(Environment.ProcessId);
        var done = 0;
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < number;)
        {
            ThreadPool.QueueUserWorkItem(_ => Interlocked.Increment(ref done));
            Thread.Sleep(20);
            Console.WriteLine(done);
        }

        return 0;

    // Like beat, but every millisecond a thread starts and ends, and it prints how many have.
    case "churn":
        Console.WriteLine(Environment.ProcessId);
        var born = 0;
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < number;)
        {
            for (var due = watch.ElapsedMilliseconds; born < due; born++)
            {
                new Thread(() => Thread.Yield(), 64 << 10) { IsBackground = true }.Start();
            }

            ThreadPool.QueueUserWorkItem(_ => { });
            Console.WriteLine(born);
            Thread.Sleep(1);
        }

        return 0;

    // Queues work items that do nothing, as fast as it can, for this many ms.
    case "flood":
        Console.WriteLine(Environment.ProcessId);
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < number;)
        {
            for (var i = 0; i < 1000; i++)
            {
                ThreadPool.QueueUserWorkItem(_ => { });
            }

            while (ThreadPool.PendingWorkItemCount > 10_000)
            {
                Thread.Yield();
            }
        }

        return 0;

    // Starts another .NET process and exits with its exit code, or with 99 if that process does not end by itself.
    case "spawn":
        using (var child = Process.Start(new ProcessStartInfo(Environment.ProcessPath!, [typeof(Program).Assembly.Location, "exit", args[1]]))!)
        {
            if (child.WaitForExit(15_000))
            {
                return child.ExitCode;
            }

            child.Kill();
            return 99;
        }

    // Queues this many items that block, on a pool limited to four threads, and prints how many are queued.
    case "capped":
        ThreadPool.SetMinThreads(2, 2);
        ThreadPool.SetMaxThreads(4, 100);
        for (var i = 0; i < number; i++)
        {
            if (i % 3 == 0)
            {
                _ = Task.Run(Blocking.Task);
            }
            else
            {
                ThreadPool.QueueUserWorkItem(Blocking.Item);
            }
        }

        Thread.Sleep(4000);
        Console.WriteLine(ThreadPool.PendingWorkItemCount);
        Thread.Sleep(60_000);
        return 0;

    // Holds this many MiB of memory and a pool of two threads, both blocked, with ten items queued behind them.
    case "large":
        ThreadPool.SetMinThreads(2, 2);
        ThreadPool.SetMaxThreads(2, 2);
        var blocks = Enumerable.Range(0, number).Select(_ => new byte[1 << 20]).ToList();
        blocks.ForEach(block => Array.Fill(block, (byte)1));
        for (var i = 0; i < 12; i++)
        {
            ThreadPool.QueueUserWorkItem(Blocking.Item);
        }

        Thread.Sleep(1000);
        Console.WriteLine(ThreadPool.PendingWorkItemCount);
        Thread.Sleep(120_000);
        GC.KeepAlive(blocks);
        return 0;

    // Starts threads that end at once, four at a time, as fast as it can, for this many ms.
    case "threads":
        Console.WriteLine("ready");
        for (var watch = Stopwatch.StartNew(); watch.ElapsedMilliseconds < number;)
        {
            var few = Enumerable.Range(0, 4).Select(_ => new Thread(() => Thread.Yield())).ToList();
            few.ForEach(thread => thread.Start());
            few.ForEach(thread => thread.Join());
            ThreadPool.QueueUserWorkItem(_ => { });
        }

        return 0;

    // Allocates, collects, starts threads, queues items and changes the pool's limits between (2, 50) and (3, 60), as fast as it can.
    case "restless":
        Console.WriteLine("ready");
        for (var (watch, turn) = (Stopwatch.StartNew(), 0); watch.ElapsedMilliseconds < number; turn++)
        {
            var isFirst = turn % 2 == 0;
            ThreadPool.SetMaxThreads(isFirst ? 50 : 60, 100);
            ThreadPool.SetMinThreads(isFirst ? 2 : 3, 2);
            var kept = Enumerable.Range(0, 500).Select(size => new byte[size * 20]).ToList();
            new Thread(() => GC.KeepAlive(kept)).Start();
            for (var i = 0; i < 20; i++)
            {
                ThreadPool.QueueUserWorkItem(_ => Thread.Sleep(1));
            }

            GC.Collect(turn % 3, GCCollectionMode.Forced, blocking: true);
        }

        return 0;

    // Does nothing for this many ms, and does not touch the pool.
    case "unused":
        Console.WriteLine("ready");
        Thread.Sleep(number);
        return 0;

    // Prints the pool's limits as the runtime computed them: processors, min, max.
    case "limits":
        ThreadPool.GetMinThreads(out var min, out _);
        ThreadPool.GetMaxThreads(out var max, out _);
        Console.WriteLine($"{Environment.ProcessorCount} {min} {max}");
        Thread.Sleep(number);
        return 0;

    default:
        return 98;
}

/// <summary>Work items with names that a look can find.</summary>
internal static class Blocking
{
    public static void Task() => Thread.Sleep(Timeout.Infinite);

    public static void Item(object? state) => Thread.Sleep(Timeout.Infinite);
}
