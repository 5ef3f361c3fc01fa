using Poolscope.Tables;

namespace Poolscope.Decode.Pool;

/// <summary>Tables `workers` and `parked`: the life of each worker thread, and when it waited for work.</summary>
internal sealed class WorkerTables
{
    private readonly Column<int> _tid;
    private readonly Column<long> _start;
    private readonly Column<long> _stop;
    private readonly Column<int> _parkedTid;
    private readonly Column<long> _parkedStart;
    private readonly Column<long> _parkedEnd;

    // Row of the worker that lives under a thread id, and of its open parked interval.
    private readonly Dictionary<int, int> _living = [];
    private readonly Dictionary<int, int> _parkedNow = [];

    public WorkerTables()
    {
        _tid = Workers.Int32("tid");
        _start = Workers.Int64("start");
        _stop = Workers.Int64("stop");
        _parkedTid = Parked.Int32("tid");
        _parkedStart = Parked.Int64("start");
        _parkedEnd = Parked.Int64("end");
    }

    public Table Workers { get; } = Table.Create("workers");

    public Table Parked { get; } = Table.Create("parked");

    public void Started(long time, int tid)
    {
        // The kernel gives thread ids out again: what lived under this one is gone, even if nothing told its end.
        if (_living.Remove(tid, out var former))
        {
            _stop[former] = time;
        }

        Unpark(time, tid);
        _start[Living(tid)] = time;
    }

    /// <summary>The thread runs a work item.</summary>
    public void Ran(long time, int tid)
    {
        Living(tid);
        Unpark(time, tid);
    }

    public void ParkBegins(long time, int tid)
    {
        Ran(time, tid);
        _parkedNow.Add(tid, Parked.Count);
        _parkedTid.Add(tid);
        _parkedStart.Add(time);
        _parkedEnd.Add(-1);
    }

    public void Stopped(long time, int tid)
    {
        Unpark(time, tid);
        _stop[Living(tid)] = time;
        _living.Remove(tid);
    }

    /// <summary>Ends workers whose thread the scheduler saw exit.</summary>
    /// <param name="exit">Exit of a thread that lived at a time; -1: it lived on, or nothing is known.</param>
    public void ApplyExits(Func<int, long, long> exit)
    {
        foreach (var (tid, row) in _living)
        {
            _stop[row] = exit(tid, Math.Max(0, _start[row]));
            if (_stop[row] >= 0)
            {
                Unpark(_stop[row], tid);
            }
        }
    }

    private int Living(int tid)
    {
        if (!_living.TryGetValue(tid, out var row))
        {
            row = Workers.Count;
            _living.Add(tid, row);
            _tid.Add(tid);
            _start.Add(-1);
            _stop.Add(-1);
        }

        return row;
    }

    private void Unpark(long time, int tid)
    {
        if (_parkedNow.Remove(tid, out var row))
        {
            _parkedEnd[row] = time;
        }
    }
}
