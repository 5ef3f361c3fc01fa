using System.Net.Sockets;
using Poolscope.Service.Database;

namespace Poolscope.Service.Background;

/// <summary>The fault `timer`: every 100 ms a callback makes ten blocking queries, one after the other. The runtime
/// starts a timer's next call even if the previous one has not ended, so with queries of 200 ms twenty calls run at
/// once, each on a pool thread. Timers also come before everything else in the queue.</summary>
public sealed class OverlappingTimer : IDisposable
{
    private const int QueriesPerCall = 10;
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(100);

    private readonly DatabaseClient _database;
    private readonly Timer _timer;

    public OverlappingTimer(DatabaseClient database)
    {
        _database = database;
        _timer = new Timer(static state => ((OverlappingTimer)state!).SynchroniseTenants(), this, Period, Period);
    }

    public void Dispose() => _timer.Dispose();

    private void SynchroniseTenants()
    {
        try
        {
            for (var tenant = 0; tenant < QueriesPerCall; tenant++)
            {
                _database.Query();
            }
        }
        catch (Exception e) when (e is SocketException or InvalidDataException)
        {
            // The database has ended, so the run is about to end; an exception here would end the process first.
        }
    }
}
