using Poolscope.Decode.Growing;
using Poolscope.Tables;

namespace Poolscope.Decode.Pool;

/// <summary>Tables `workers` and `parked`: the lifetime of each worker thread, and the intervals in which it waited for
/// work.</summary>
internal sealed class WorkerTables
{
    private readonly Column<int> _tid;
    private readonly Column<long> _start;
    private readonly Column<long> _stop;
    private readonly Column<int> _parkedTid;
    private readonly Column<long> _parkedStart;
    private readonly Column<long> _parkedEnd;

    private readonly PerThread<Thread> _threads = new(tid => new Thread(tid));

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
        // The kernel reuses thread ids: an earlier worker with this id has ended, even if no event reported its end.
        var thread = _threads[tid];
        if (thread.Row >= 0)
        {
            _stop[thread.Row] = time;
            thread.Row = -1;
        }

        Unpark(time, thread);
        _start[Living(thread)] = time;
    }

    /// <summary>Records that the thread runs a work item.</summary>
    public void Ran(long time, int tid) => Ran(time, _threads[tid]);

    public void ParkBegins(long time, int tid)
    {
        var thread = _threads[tid];
        Ran(time, thread);
        thread.Parked = Parked.Count;
        _parkedTid.Add(tid);
        _parkedStart.Add(time);
        _parkedEnd.Add(-1);
    }

    public void Stopped(long time, int tid)
    {
        var thread = _threads[tid];
        Unpark(time, thread);
        _stop[Living(thread)] = time;
        thread.Row = -1;
    }

    /// <summary>Ends the workers whose thread exited according to the scheduler.</summary>
    /// <param name="exit">Returns the exit of the thread that had an id at a time; -1 if it lived on or is
    /// unknown.</param>
    public void ApplyExits(Func<int, long, long> exit)
    {
        foreach (var thread in _threads.All.Where(thread => thread.Row >= 0))
        {
            var end = exit(thread.Tid, Math.Max(0, _start[thread.Row]));
            _stop[thread.Row] = end;
            if (end >= 0)
            {
                Unpark(end, thread);
            }
        }
    }

    private void Ran(long time, Thread thread)
    {
        Living(thread);
        Unpark(time, thread);
    }

    /// <returns>The row of the live worker with a thread id.</returns>
    private int Living(Thread thread)
    {
        if (thread.Row < 0)
        {
            thread.Row = Workers.Count;
            _tid.Add(thread.Tid);
            _start.Add(-1);
            _stop.Add(-1);
        }

        return thread.Row;
    }

    private void Unpark(long time, Thread thread)
    {
        if (thread.Parked >= 0)
        {
            _parkedEnd[thread.Parked] = time;
            thread.Parked = -1;
        }
    }

    private sealed class Thread(int tid)
    {
        public int Tid => tid;

        /// <summary>Row of the live worker with this id; -1 if none.</summary>
        public int Row { get; set; } = -1;

        /// <summary>Row of the worker's open parked interval; -1 if none.</summary>
        public int Parked { get; set; } = -1;
    }
}
