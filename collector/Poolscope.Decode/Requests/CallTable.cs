using Poolscope.Decode.Events.Web;
using Poolscope.Tables;

namespace Poolscope.Decode.Requests;

/// <summary>Table `calls`: the events of HttpClient, by call. The events of a call carry the activity of its start
/// event, unless another call has begun inside it and replaced that activity. Then the steps of the call still have the
/// activity in their paths, and the end follows the last step on the same thread. Ends that follow no step are matched
/// last (<see cref="OrphanStops"/>).</summary>
internal sealed class CallTable
{
    private const byte Open = 0;
    private const byte Answered = 1;
    private const byte FailedCall = 2;
    private const byte Untold = 3;

    private readonly Column<long> _id;
    private readonly Column<long> _start;
    private readonly Column<int> _tid;
    private readonly StringColumn _scheme;
    private readonly StringColumn _host;
    private readonly Column<int> _port;
    private readonly StringColumn _path;
    private readonly StringColumn _protocol;
    private readonly Column<long> _leftQueue;
    private readonly Column<int> _leftQueueTid;
    private readonly Column<long> _queueWait;
    private readonly Column<long> _sent;
    private readonly Column<long> _connection;
    private readonly Column<long> _connectionMade;
    private readonly Column<long> _end;
    private readonly Column<int> _endTid;
    private readonly Column<int> _status;
    private readonly Column<byte> _outcome;

    // Rows of open calls by activity, and the connections made during the recording.
    private readonly Dictionary<Guid, int> _underWay = [];
    private readonly Dictionary<long, (long Time, string Protocol)> _connections = [];

    // Per row: the enclosing activity of the call, and the last time at which the call's own activity was reported.
    private readonly List<Guid> _around = [];
    private readonly List<long> _lastOwn = [];

    // Rows by activity path. Per thread, within its current work item: the call whose response it read last, and
    // whether it reported a failure that matched no call.
    private readonly Dictionary<Guid, int> _paths = [];
    private readonly Dictionary<int, int> _answered = [];
    private readonly HashSet<int> _failedOn = [];
    private readonly EarlierCalls _earlier = new();
    private readonly List<OrphanStop> _stops = [];

    public CallTable()
    {
        _id = Table.Int64("id");
        _start = Table.Int64("start");
        _tid = Table.Int32("tid");
        _scheme = Table.String("scheme");
        _host = Table.String("host");
        _port = Table.Int32("port");
        _path = Table.String("path");
        _protocol = Table.String("protocol");
        _leftQueue = Table.Int64("left_queue");
        _leftQueueTid = Table.Int32("left_queue_tid");
        _queueWait = Table.Int64("queue_wait");
        _sent = Table.Int64("sent");
        _connection = Table.Int64("connection");
        _connectionMade = Table.Int64("connection_made");
        _end = Table.Int64("end");
        _endTid = Table.Int32("end_tid");
        _status = Table.Int32("status");
        _outcome = Table.Enum("outcome");
    }

    public Table Table { get; } = Table.Create("calls");

    /// <summary>Table `earlier_calls`. Complete after <see cref="Finish"/>.</summary>
    public Table Earlier => _earlier.Table;

    /// <param name="around">The activity in which the call begins; empty if none.</param>
    public void Start(long time, int tid, Guid activity, Guid around, in CallTarget target)
    {
        _around.Add(around);
        _lastOwn.Add(time);
        if (activity != Guid.Empty)
        {
            _underWay[activity] = Table.Count;
            _paths[ActivityPath.Of(activity)] = Table.Count;
        }

        _id.Add(Table.Count);
        _start.Add(time);
        _tid.Add(tid);
        _scheme.Add(target.Scheme);
        _host.Add(target.Host);
        _port.Add(target.Port);
        _path.Add(target.Path);
        _protocol.Add(target.Protocol);
        _leftQueue.Add(-1);
        _leftQueueTid.Add(-1);
        _queueWait.Add(-1);
        _sent.Add(-1);
        _connection.Add(-1);
        _connectionMade.Add(-1);
        _end.Add(-1);
        _endTid.Add(-1);
        _status.Add(-1);
        _outcome.Add(Open);
    }

    /// <summary>Records that a call left the queue. A redirected call may wait more than once: its waits are added up,
    /// and the end of the last wait is recorded.</summary>
    public void LeftQueue(long time, int tid, Guid activity, double waitedMs, string protocol)
    {
        // The event holds only the duration of the wait, which cannot exceed that of the call.
        if (TryOwn(time, activity, out var row) && waitedMs >= 0)
        {
            (_leftQueue[row], _leftQueueTid[row]) = (time, tid);
            var waited = (long)Math.Min(waitedMs * 1e6, time - _start[row]);
            _queueWait[row] = Math.Min(Math.Max(_queueWait[row], 0) + waited, time - _start[row]);
            _protocol[row] = protocol;
        }
    }

    public void Sent(long time, CallStep step, long connection)
    {
        if (TryStep(time, step, out var row))
        {
            _sent[row] = time;
            _connection[row] = Math.Max(connection, -1);
            _connectionMade[row] = -1;
            if (_connections.TryGetValue(connection, out var made))
            {
                (_connectionMade[row], _protocol[row]) = made;
            }
        }
    }

    public void ConnectionMade(long time, long connection, string protocol) => _connections[connection] = (time, protocol);

    public void Head(long time, int tid, CallStep step, int status)
    {
        if (TryStep(time, step, out var row))
        {
            _answered[tid] = row;
        }
        else if (ActivityPath.Around(step.Own) is not null)
        {
            _earlier.Head(time, tid, status);
        }
    }

    public void Content(long time, int tid, CallStep step)
    {
        if (TryStep(time, step, out var row))
        {
            _answered[tid] = row;
        }
    }

    /// <summary>Records that a response redirects the call, so its header is not that of the final response.</summary>
    public void Redirected(int tid)
    {
        _answered.Remove(tid);
        _earlier.Redirected(tid);
    }

    /// <summary>Records that the thread begins another work item. Its later events are unrelated to its earlier
    /// ones.</summary>
    public void NewItem(int tid)
    {
        _answered.Remove(tid);
        _failedOn.Remove(tid);
        _earlier.NewItem(tid);
    }

    public void Failed(long time, int tid, Guid activity)
    {
        if (TryOwn(time, activity, out var row))
        {
            _outcome[row] = FailedCall;
        }
        else
        {
            _failedOn.Add(tid);
        }
    }

    /// <summary>Records the end of a call. HttpClient reports an end only if it reported the start, so the call is in
    /// the table.</summary>
    public void Stop(long time, int tid, Guid activity, int status)
    {
        var failed = _failedOn.Remove(tid);
        if (_underWay.Remove(activity, out var row))
        {
            End(row, time, tid, status, _outcome[row] == FailedCall);
        }
        else if (status >= 0 && _answered.Remove(tid, out row) && _end[row] < 0)
        {
            End(row, time, tid, status, failed);
        }
        else
        {
            _stops.Add(new OrphanStop(time, tid, activity, status, failed));
        }
    }

    /// <summary>Matches the ends that followed no step. Call once, after the last event.</summary>
    public void Finish()
    {
        _earlier.Finish();
        var open = Enumerable.Range(0, Table.Count).Where(row => _end[row] < 0)
            .Select(row => new OpenCall(row, _lastOwn[row], _around[row]));
        var (ended, untold) = OrphanStops.Match([.. open], _stops);
        foreach (var (row, stop) in ended)
        {
            End(row, stop.Time, stop.Tid, stop.Status, stop.Failed);
        }

        foreach (var row in untold)
        {
            _outcome[row] = Untold;
        }
    }

    /// <summary>Finds the call that a step belongs to. The call may be over, because its content may be read
    /// later.</summary>
    private bool TryStep(long time, CallStep step, out int row)
    {
        if (TryOwn(time, step.Around, out row))
        {
            return true;
        }

        if (ActivityPath.Around(step.Own) is not { } path || !_paths.TryGetValue(path, out row))
        {
            return false;
        }

        _lastOwn[row] = time;
        return true;
    }

    private bool TryOwn(long time, Guid activity, out int row)
    {
        if (!_underWay.TryGetValue(activity, out row))
        {
            return false;
        }

        _lastOwn[row] = time;
        return true;
    }

    private void End(int row, long time, int tid, int status, bool failed)
    {
        (_end[row], _endTid[row], _status[row]) = (time, tid, status);
        _outcome[row] = failed ? FailedCall : Answered;
    }
}
