using Zoo.Running;

namespace Courier.Desk;

/// <summary>A pool that may grow from its default to four threads, and forty calls a second that block for 300 ms each.</summary>
internal static class CourierDesk
{
    private static int _called;

    public static void Run(Stage stage)
    {
        ThreadPool.SetMaxThreads(4, 100);
        stage.AwaitOnset();
        stage.Pace(40, n => ThreadPool.QueueUserWorkItem(_ => Call(n)));
    }

    private static void Call(int parcel)
    {
        try
        {
            Thread.Sleep(300 + parcel % 5);
            Interlocked.Increment(ref _called);
        }
        catch (ThreadInterruptedException)
        {
            Console.Error.WriteLine($"parcel {parcel} was not announced");
        }
    }
}
