using Poolscope.KernelEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Sockets;

/// <summary>Tables `sockets` and `socket_reports`: the target's TCP connections as Windows reports them, by process and
/// both endpoints. There is no table `socket_io`: Windows reports neither the thread that read or sent nor the time at
/// which data arrived.</summary>
internal sealed class ReportedSockets
{
    private readonly Dictionary<SocketEndpoints, int> _latest = [];
    private readonly Column<int> _id;
    private readonly Column<byte> _role;
    private readonly StringColumn _local;
    private readonly StringColumn _remote;
    private readonly Column<long> _opened;
    private readonly Column<long> _closed;
    private readonly Column<long> _unreadAt;
    private readonly Column<long> _time;
    private readonly Column<int> _socket;
    private readonly Column<byte> _report;
    private readonly Column<int> _bytes;

    internal ReportedSockets()
    {
        (_id, _role, _local, _remote) = (Sockets.Int32("id"), Sockets.Enum("role"), Sockets.String("local"), Sockets.String("remote"));
        (_opened, _closed, _unreadAt) = (Sockets.Int64("opened"), Sockets.Int64("closed"), Sockets.Int64("unread_at"));
        (_time, _socket, _report, _bytes) = (Reports.Int64("time"), Reports.Int32("socket"), Reports.Enum("report"), Reports.Int32("bytes"));
    }

    internal Table Sockets { get; } = Table.Create("sockets");

    internal Table Reports { get; } = Table.Create("socket_reports");

    internal void Add(long time, TcpReport report, int bytes, SocketEndpoints ends)
    {
        switch (report)
        {
            case TcpReport.Connect:
                _role[Begun(ends)] = (byte)SocketRole.Connected;
                break; // the event does not say whether the connection was requested or established then
            case TcpReport.Accept:
                var accepted = Begun(ends);
                (_role[accepted], _opened[accepted]) = ((byte)SocketRole.Accepted, time);
                break;
            case TcpReport.Disconnect:
                var closed = Of(ends);
                _closed[closed] = _closed[closed] < 0 ? time : _closed[closed];
                break;
            default:
                _time.Add(time);
                _socket.Add(Of(ends));
                _report.Add((byte)report);
                _bytes.Add(bytes);
                break;
        }
    }

    /// <summary>Returns the row of a connection that begins. Adds one if the latest connection with these endpoints had
    /// begun or ended.</summary>
    private int Begun(SocketEndpoints ends)
    {
        var row = Of(ends);
        return _role[row] == (byte)SocketRole.Unknown && _closed[row] < 0 ? row : AddRow(ends);
    }

    /// <summary>Returns the row of the latest connection with these endpoints, or adds one. Windows may report data
    /// after the connection is closed, so only a new connection replaces it.</summary>
    private int Of(SocketEndpoints ends) => _latest.TryGetValue(ends, out var row) ? row : AddRow(ends);

    private int AddRow(SocketEndpoints ends)
    {
        var row = Sockets.Count;
        _id.Add(row);
        _role.Add((byte)SocketRole.Unknown);
        _local.Add(ends.Local.ToString());
        _remote.Add(ends.Remote.ToString());
        _opened.Add(-1);
        _closed.Add(-1);
        _unreadAt.Add(-1); // not read on Windows
        return _latest[ends] = row;
    }
}
