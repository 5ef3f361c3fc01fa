using Zoo.Running;

namespace Taxi.Dispatch;

/// <summary>Rides wait for a driver with Monitor.Wait. Items queued behind the rides announce the drivers.</summary>
internal static class DispatchDesk
{
    private static readonly object Desk = new();
    private static int _drivers;

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var n = 0; n < 200; n++)
        {
            var ride = n;
            ThreadPool.QueueUserWorkItem(_ => AssignDriver(ride));
        }

        stage.Pace(20, n =>
        {
            ThreadPool.QueueUserWorkItem(_ => AssignDriver(n));
            ThreadPool.QueueUserWorkItem(_ => DriverFree());
        });
    }

    private static void AssignDriver(int ride)
    {
        lock (Desk)
        {
            while (_drivers == 0)
            {
                Monitor.Wait(Desk);
            }

            _drivers--;
        }

        _ = ride;
    }

    private static void DriverFree()
    {
        lock (Desk)
        {
            _drivers++;
            Monitor.Pulse(Desk);
        }
    }
}
