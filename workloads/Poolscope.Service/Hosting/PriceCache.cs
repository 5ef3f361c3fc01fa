using System.Diagnostics;
using System.Runtime.CompilerServices;
using Poolscope.Service.Database;

namespace Poolscope.Service.Hosting;

/// <summary>A value from the database, kept for a while. A reader that finds it too old refreshes it while holding the
/// lock, so every other reader waits for the database too: the fault `lock`.</summary>
/// <param name="lifetime">Time for which a value is valid.</param>
public sealed class PriceCache(DatabaseClient database, TimeSpan lifetime)
{
    private readonly object _gate = new();
    private long _read = -1;
    private int _version;

    /// <returns>The number of times that the value has been refreshed.</returns>
    /// <remarks>Not inlined, so that stacks show it: see <see cref="Endpoints"/>.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Read()
    {
        lock (_gate)
        {
            if (_read < 0 || Stopwatch.GetElapsedTime(_read) > lifetime)
            {
                database.Query();
                _version++;
                _read = Stopwatch.GetTimestamp();
            }

            return _version;
        }
    }
}
