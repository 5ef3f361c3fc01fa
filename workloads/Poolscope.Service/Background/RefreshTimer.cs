using Poolscope.Service.Database;

namespace Poolscope.Service.Background;

/// <summary>A correct background timer: it awaits its query, and the next query is due only after that one has
/// ended.</summary>
public sealed class RefreshTimer : IDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

    private readonly PeriodicTimer _timer = new(Period);

    public RefreshTimer(DatabaseClient database) => _ = RunAsync(database);

    public void Dispose() => _timer.Dispose();

    private async Task RunAsync(DatabaseClient database)
    {
        while (await _timer.WaitForNextTickAsync().ConfigureAwait(false))
        {
            try
            {
                await database.QueryAsync().ConfigureAwait(false);
            }
            catch (System.Net.Sockets.SocketException)
            {
                // The database has ended, so the run is about to end.
            }
        }
    }
}
