namespace Poolscope.Workloads.Pools.Reference;

/// <summary>Looks at a pool at the times that its policy requests, from the first item on and as long as the pool
/// lives.</summary>
internal sealed class GateThread : IDisposable
{
    private readonly Func<TimeSpan> _look;
    private readonly object _lock = new();
    private readonly Thread _thread;
    private bool _stopped;

    /// <param name="look">Looks at the pool and returns the time until the next look.</param>
    public GateThread(string name, TimeSpan firstLook, Func<TimeSpan> look)
    {
        _look = look;
        _thread = new Thread(() => Run(firstLook)) { Name = name, IsBackground = true };
        _thread.Start();
    }

    /// <summary>Stops the thread. Returns when the last look is over.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _stopped = true;
            Monitor.Pulse(_lock);
        }

        _thread.Join();
    }

    private void Run(TimeSpan next)
    {
        while (Sleep(next))
        {
            next = _look();
        }
    }

    /// <returns>False if stopped.</returns>
    private bool Sleep(TimeSpan time)
    {
        lock (_lock)
        {
            return !_stopped && !Monitor.Wait(_lock, WholeMilliseconds.Up(time));
        }
    }
}
