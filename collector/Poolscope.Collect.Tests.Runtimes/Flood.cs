using System.Diagnostics;
using System.Globalization;

/// <summary>Items that only queue their successor, and readings like those of `poolscope-workloads run flood
/// --meter`.</summary>
internal static class Flood
{
    /// <summary>Enough that no worker finds the queue empty, and few enough that no item waits.</summary>
    private const int ChainsPerProcessor = 4;

    /// <summary>Begins at the first line of the input and ends with the input.</summary>
    public static void Run()
    {
        for (var begun = false; Console.ReadLine() is not null; begun = true)
        {
            using var process = Process.GetCurrentProcess();
            Console.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $$"""{"items":{{ThreadPool.CompletedWorkItemCount}},"wall_ns":{{Stopwatch.GetTimestamp()}},"user_ns":{{Ns(process.UserProcessorTime)}},"system_ns":{{Ns(process.PrivilegedProcessorTime)}}}"""));
            for (var chain = 0; !begun && chain < ChainsPerProcessor * Environment.ProcessorCount; chain++)
            {
                ThreadPool.UnsafeQueueUserWorkItem(Item, null);
            }
        }
    }

    private static void Item(object? state) => ThreadPool.UnsafeQueueUserWorkItem(Item, state);

    private static long Ns(TimeSpan time) => time.Ticks * TimeSpan.NanosecondsPerTick;
}
