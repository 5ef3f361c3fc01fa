using Zoo.Running;

namespace Fleet.Leases;

/// <summary>20,000 timers of 100 ms renew leases and contend for the timers' lock; items start on time.</summary>
internal static class LeaseTimers
{
    private static readonly Lease[] Leases = new Lease[20_000];

    public static void Run(Stage stage)
    {
        stage.AwaitOnset();
        for (var n = 0; n < Leases.Length; n++)
        {
            Leases[n] = new Lease();
        }
    }

    private sealed class Lease
    {
        private readonly Timer _timer;
        private int _renewed;

        public Lease()
        {
            _timer = new Timer(static lease => ((Lease)lease!).Renew(), this, Timeout.Infinite, Timeout.Infinite);
            _timer.Change(100, Timeout.Infinite);
        }

        private void Renew()
        {
            _renewed++;
            _timer.Change(100, Timeout.Infinite);
        }
    }
}
