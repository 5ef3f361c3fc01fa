using System.Runtime.InteropServices;
using Zoo.Running;

namespace Grid.Meters;

/// <summary>Twelve endless consumers, started with Task.Run, each block in native calls of up to 100 ms.</summary>
internal static class MeterGateway
{
    private static int _messages;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var i = 0; i < 12; i++)
        {
            var partition = i;
            Task.Run(() => Consume(partition));
        }

        stage.Pace(40, n => ThreadPool.QueueUserWorkItem(_ => Book(n)));
    }

    private static void Consume(int partition)
    {
        while (true)
        {
            if (Native.Poll(0, 0, 100) == 0)
            {
                Interlocked.Add(ref _messages, partition);
            }
        }
    }

    private static void Book(int value) => Thread.SpinWait(500 + value % 3);
}

internal static partial class Native
{
    /// <summary>Without descriptors, blocks until the time is over.</summary>
    [LibraryImport("libc", EntryPoint = "poll")]
    public static partial int Poll(nint descriptors, nuint count, int milliseconds);
}
