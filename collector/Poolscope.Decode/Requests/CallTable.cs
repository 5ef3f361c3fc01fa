using Poolscope.Decode.Events;
using Poolscope.Tables;

namespace Poolscope.Decode.Requests;

/// <summary>Table `calls`: what HttpClient told of each call. What it tells of one call has the activity of its beginning; of
/// calls that began before the recording it tells no end, and they have no row.</summary>
internal sealed class CallTable
{
    private const byte Open = 0;
    private const byte Answered = 1;
    private const byte FailedCall = 2;

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

    // Rows by the activity of calls that are under way, and the connections that were made while the recording ran.
    private readonly Dictionary<Guid, int> _underWay = [];
    private readonly Dictionary<long, (long Time, string Protocol)> _connections = [];

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

    public void Start(long time, int tid, Guid activity, in CallTarget target)
    {
        if (activity != Guid.Empty)
        {
            _underWay[activity] = Table.Count;
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

    /// <summary>A call that is redirected may wait more than once: its waits are added up, and the last one's end is told.</summary>
    public void LeftQueue(long time, int tid, Guid activity, double waitedMs, string protocol)
    {
        // The event tells how long, and not since when; longer than the call it cannot be.
        if (_underWay.TryGetValue(activity, out var row) && waitedMs >= 0)
        {
            (_leftQueue[row], _leftQueueTid[row]) = (time, tid);
            var waited = (long)Math.Min(waitedMs * 1e6, time - _start[row]);
            _queueWait[row] = Math.Min(Math.Max(_queueWait[row], 0) + waited, time - _start[row]);
            _protocol[row] = protocol;
        }
    }

    public void Sent(long time, Guid activity, long connection)
    {
        if (_underWay.TryGetValue(activity, out var row))
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

    public void Failed(Guid activity)
    {
        if (_underWay.TryGetValue(activity, out var row))
        {
            _outcome[row] = FailedCall;
        }
    }

    public void Stop(long time, int tid, Guid activity, int status)
    {
        if (_underWay.Remove(activity, out var row))
        {
            (_end[row], _endTid[row], _status[row]) = (time, tid, status);
            _outcome[row] = _outcome[row] == FailedCall ? FailedCall : Answered;
        }
    }
}
