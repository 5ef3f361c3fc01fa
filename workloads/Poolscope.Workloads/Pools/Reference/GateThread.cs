namespace Poolscope.Workloads.Pools.Reference;

/// <summary>Looks at a pool at the moments that its policy asks for, from the first item on and for as long as the pool lives.</summary>
internal sealed class GateThread : IDisposable
{
    private readonly Func<TimeSpan> _look;
    private readonly object _lock = new();
    private readonly Thread _thread;
    private bool _stopped;

    /// <param name="look">Looks, and answers how long until it wants to look again.</param>
    public GateThread(string name, TimeSpan firstLook, Func<TimeSpan> look)
    {
        _look = look;
        _thread = new Thread(() => Run(firstLook)) { Name = name, IsBackground = true };
        _thread.Start();
    }

    /// <summary>Returns when the last look is over.</summary>
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

    /// <returns>False: stopped.</returns>
    private bool Sleep(TimeSpan time)
    {
        lock (_lock)
        {
            return !_stopped && !Monitor.Wait(_lock, WholeMilliseconds.Up(time));
        }
    }
}
