using Poolscope.Decode.Events.Web;
using Poolscope.Tables;

namespace Poolscope.Decode.Requests;

/// <summary>Table `requests`: the events of Kestrel and of ASP.NET Core hosting, by request. Kestrel reports the
/// connection, and hosting the end of the handler. Both report the start, one right after the other on the same thread;
/// in ASP.NET Core 8 to 10 hosting comes first.</summary>
internal sealed class RequestTable
{
    /// <summary>Marks an activity with several open requests, such as the streams of an HTTP/2 connection. An end could
    /// belong to any of them.</summary>
    private const int Ambiguous = -1;

    private readonly Column<long> _id;
    private readonly Column<long> _start;
    private readonly Column<int> _tid;
    private readonly StringColumn _connection;
    private readonly StringColumn _protocol;
    private readonly StringColumn _method;
    private readonly StringColumn _path;
    private readonly Column<long> _handlerStart;
    private readonly Column<long> _handlerEnd;
    private readonly Column<int> _handlerEndTid;
    private readonly Column<long> _end;
    private readonly Column<int> _endTid;

    // Rows that still await events: by thread, the row that only one of Kestrel and hosting has reported; by activity,
    // the requests inside the application; by Kestrel's request id, the requests that Kestrel has not finished.
    private readonly Dictionary<int, int> _half = [];
    private readonly Dictionary<Guid, int> _handled = [];
    private readonly Dictionary<string, int> _served = new(StringComparer.Ordinal);

    public RequestTable()
    {
        _id = Table.Int64("id");
        _start = Table.Int64("start");
        _tid = Table.Int32("tid");
        _connection = Table.String("connection");
        _protocol = Table.String("protocol");
        _method = Table.String("method");
        _path = Table.String("path");
        _handlerStart = Table.Int64("handler_start");
        _handlerEnd = Table.Int64("handler_end");
        _handlerEndTid = Table.Int32("handler_end_tid");
        _end = Table.Int64("end");
        _endTid = Table.Int32("end_tid");
    }

    public Table Table { get; } = Table.Create("requests");

    /// <summary>Table `earlier_requests`: the requests that began before the recording and whose end was
    /// reported.</summary>
    public Table Earlier { get; } = Table.Create("earlier_requests");

    /// <summary>Records that Kestrel has read a request's header.</summary>
    public void RequestStart(long time, int tid, string request, in ServedRequest served)
    {
        var row = HalfOf(tid, served.Method, served.Path) is { } half && _connection[half] is null
            ? half
            : AddHalf(time, tid, served.Method, served.Path);
        _connection[row] = served.Connection;
        _protocol[row] = served.Protocol;
        _served[request] = row;
    }

    /// <summary>Records that Kestrel has finished a request, at the latest when the connection asks for the next one or
    /// ends.</summary>
    public void RequestStop(long time, int tid, string request, in ServedRequest served)
    {
        if (_served.Remove(request, out var row))
        {
            (_end[row], _endTid[row]) = (time, tid);
            return;
        }

        Earlier.Int64("end").Add(time);
        Earlier.Int32("end_tid").Add(tid);
        Earlier.String("connection").Add(served.Connection);
        Earlier.String("protocol").Add(served.Protocol);
        Earlier.String("method").Add(served.Method);
        Earlier.String("path").Add(served.Path);
    }

    /// <summary>Records that a request enters the application.</summary>
    /// <param name="activity">The request's activity; if empty, activities were not recorded and the end will not be
    /// either.</param>
    public void HandlerStart(long time, int tid, Guid activity, string method, string path)
    {
        var row = HalfOf(tid, method, path) is { } half && _handlerStart[half] < 0 ? half : AddHalf(time, tid, method, path);
        _handlerStart[row] = time;
        if (activity != Guid.Empty && !_handled.TryAdd(activity, row))
        {
            _handled[activity] = Ambiguous;
        }
    }

    public void HandlerStop(long time, int tid, Guid activity)
    {
        if (_handled.Remove(activity, out var row) && row != Ambiguous)
        {
            (_handlerEnd[row], _handlerEndTid[row]) = (time, tid);
        }
    }

    /// <summary>Takes the row that the other source began on this thread. Removes it even if it does not match; returns
    /// null then.</summary>
    private int? HalfOf(int tid, string method, string path) =>
        _half.Remove(tid, out var row) && _method[row] == method && _path[row] == path ? row : null;

    private int AddHalf(long time, int tid, string method, string path) => _half[tid] = Add(time, tid, method, path);

    private int Add(long time, int tid, string method, string path)
    {
        var row = Table.Count;
        _id.Add(row);
        _start.Add(time);
        _tid.Add(tid);
        _connection.Add(null);
        _protocol.Add(null);
        _method.Add(method);
        _path.Add(path);
        _handlerStart.Add(-1);
        _handlerEnd.Add(-1);
        _handlerEndTid.Add(-1);
        _end.Add(-1);
        _endTid.Add(-1);
        return row;
    }
}
