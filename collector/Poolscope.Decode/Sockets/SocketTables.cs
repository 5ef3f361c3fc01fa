using System.Net;
using Poolscope.KernelEvents;
using Poolscope.Tables;

namespace Poolscope.Decode.Sockets;

/// <summary>Tables `sockets` and `socket_io`: the target's TCP connections and the data sent over them. The kernel
/// reports the connections of every process, and shows the owner only when a thread reads or sends. An unused
/// connection counts as the target's if it came to an address that the target serves (a starved service does not even
/// accept). All others are left out at the end.</summary>
internal sealed class SocketTables
{
    /// <summary>The latest connection of each socket address.</summary>
    private readonly Dictionary<ulong, Connection> _latest = [];
    private readonly List<Connection> _all = [];
    private readonly Dictionary<int, List<long>> _ofThread = [];

    internal Table Sockets { get; } = Table.Create("sockets");

    internal Table Transfers { get; } = Table.Create("socket_io");

    internal void Arrived(long time, ulong socket, int bytes, SocketEndpoints endpoints)
    {
        var connection = Of(socket);
        connection.Endpoints ??= endpoints;
        connection.Transfers.Add(new SocketTransfer(time, SocketDirection.Arrived, bytes, -1));
    }

    /// <summary>Records data sent by the target. Ignores data sent on a closed connection, which reaches no
    /// receiver.</summary>
    /// <param name="bytes">Bytes sent; below 0 if the kernel's buffer was full.</param>
    internal void Sent(long time, int tid, ulong socket, int bytes)
    {
        if (!IsClosed(socket))
        {
            Of(socket).Use(new SocketTransfer(time, bytes < 0 ? SocketDirection.Full : SocketDirection.Sent, Math.Max(bytes, 0), tid));
        }
    }

    internal void UsedByOthers(ulong socket)
    {
        if (!IsClosed(socket))
        {
            Of(socket).IsOthers = true;
        }
    }

    /// <param name="bytes">Bytes read; 0 if the other end has closed the connection, or if the thread made an empty
    /// read to wait for data.</param>
    internal void Read(long time, int tid, ulong socket, int bytes)
    {
        var connection = Of(socket);
        if (bytes > 0)
        {
            connection.Use(new SocketTransfer(time, SocketDirection.Read, bytes, tid));
        }
        else if (connection.HasEnded)
        {
            connection.Use(new SocketTransfer(time, SocketDirection.EndRead, 0, tid));
        }
    }

    /// <param name="tid">Thread of the target that changed the state; -1 for another process.</param>
    internal void Changed(long time, int tid, ulong socket, TcpState before, TcpState after, SocketEndpoints endpoints)
    {
        if (after == TcpState.Listen || before == TcpState.Listen)
        {
            return; // a listener is not a connection
        }

        var connection = Of(socket);
        if (before == TcpState.Established)
        {
            connection.Endpoints ??= endpoints; // it may have been open before the recording
        }

        switch (after)
        {
            case TcpState.SynSent:
                connection.Role = SocketRole.Connected;
                if (tid >= 0)
                {
                    connection.Use(new SocketTransfer(time, SocketDirection.Connecting, 0, tid));
                }

                break;
            case TcpState.Established:
                connection.Opened = time;
                connection.Endpoints = endpoints;
                if (before == TcpState.SynReceived)
                {
                    connection.Role = SocketRole.Accepted;
                }
                else if (before == TcpState.SynSent)
                {
                    connection.Transfers.Add(new SocketTransfer(time, SocketDirection.Connected, 0, -1));
                }

                break;
            case TcpState.CloseWait:
                connection.HasEnded = true;
                connection.Transfers.Add(new SocketTransfer(time, SocketDirection.Ended, 0, -1));
                break;
            case TcpState.Closed:
                connection.Closed = time; // a thread may still send on it
                break;
        }
    }

    /// <summary>Fills the tables. Call once, after the last event.</summary>
    /// <param name="before">The target's known connections that were open when the recording began.</param>
    internal void Finish(IReadOnlyList<OpenConnection> before)
    {
        Recognise(before);
        var (id, role, local, remote) = (Sockets.Int32("id"), Sockets.Enum("role"), Sockets.String("local"), Sockets.String("remote"));
        var (opened, closed, unread) = (Sockets.Int64("opened"), Sockets.Int64("closed"), Sockets.Int64("unread_at"));
        var rows = new List<(SocketTransfer Transfer, int Socket)>();
        var served = Served();
        foreach (var connection in _all.Where(c => c.IsTargets || Waits(c, served)))
        {
            var number = Sockets.Count;
            id.Add(number);
            role.Add((byte)connection.Role);
            local.Add(connection.Endpoints?.Local.ToString());
            remote.Add(connection.Endpoints?.Remote.ToString());
            opened.Add(connection.Opened);
            closed.Add(connection.Closed);
            unread.Add(connection.UnreadAt);
            rows.AddRange(connection.Transfers.Select(t => (t, number)));
        }

        var (time, socket, direction) = (Transfers.Int64("time"), Transfers.Int32("socket"), Transfers.Enum("direction"));
        var (bytes, tid) = (Transfers.Int32("bytes"), Transfers.Int32("tid"));
        foreach (var (transfer, number) in rows.OrderBy(r => r.Transfer.Time)) // stable: as recorded where times are equal
        {
            time.Add(transfer.Time);
            socket.Add(number);
            direction.Add((byte)transfer.Direction);
            bytes.Add(transfer.Bytes);
            tid.Add(transfer.Tid);
            if (transfer.Tid >= 0)
            {
                (_ofThread.TryGetValue(transfer.Tid, out var times) ? times : _ofThread[transfer.Tid] = []).Add(transfer.Time);
            }
        }
    }

    /// <summary>Returns the time at which a thread last read or sent, up to a time, ns; -1 if it had not. Call after
    /// <see cref="Finish"/>.</summary>
    internal long LastTransfer(int tid, long until)
    {
        if (!_ofThread.TryGetValue(tid, out var times))
        {
            return -1;
        }

        var at = times.BinarySearch(until + 1);
        at = at < 0 ? ~at : at;
        while (at > 0 && times[at - 1] > until)
        {
            at--;
        }

        return at > 0 ? times[at - 1] : -1;
    }

    /// <summary>Returns the local addresses at which only the target accepts connections: it accepted one there, or has
    /// several. An address that other processes share does not count, because the owner of another connection is
    /// unknown.</summary>
    private HashSet<IPEndPoint> Served()
    {
        var taken = _all.Where(c => c.IsTargets && c.Role != SocketRole.Connected && c.Endpoints is not null)
            .GroupBy(c => c.Endpoints!.Value.Local)
            .Where(g => g.Any(c => c.Role == SocketRole.Accepted) || g.Skip(1).Any());
        var served = taken.Select(g => g.Key).ToHashSet();
        served.ExceptWith(_all.Where(c => c.IsOthers && !c.IsTargets && c.Endpoints is not null).Select(c => c.Endpoints!.Value.Local));
        return served;
    }

    /// <summary>Identifies connections from before the recording by their endpoints. A connection has no event with
    /// endpoints if no data came after its unread bytes were read; it is identified by the number of these
    /// bytes.</summary>
    private void Recognise(IReadOnlyList<OpenConnection> before)
    {
        var known = _all.Where(c => c.Opened < 0 && c.Endpoints is not null).ToLookup(c => c.Endpoints!.Value);
        var silent = new List<OpenConnection>();
        foreach (var open in before)
        {
            if (known[open.Endpoints].FirstOrDefault() is { } connection)
            {
                connection.WasOpen(open);
            }
            else
            {
                silent.Add(open);
            }
        }

        var nameless = _all.Where(c => c.Endpoints is null && c.IsTargets && c.Opened < 0).ToLookup(c => c.UnreadBefore);
        foreach (var group in silent.GroupBy(open => open.Unread))
        {
            RecogniseUnread([.. group.OrderByDescending(open => open.Accepted)], [.. nameless[group.Key]]);
        }
    }

    /// <summary>Identifies connections with the same number of unread bytes.</summary>
    /// <param name="silent">Connections that the collector listed and whose endpoints are in no event.</param>
    /// <param name="nameless">Connections that have events but no endpoints.</param>
    private void RecogniseUnread(List<OpenConnection> silent, List<Connection> nameless)
    {
        var isTold = silent.Count >= nameless.Count && silent.TrueForAll(open => open.Accepted == silent[0].Accepted);
        for (var i = 0; i < silent.Count; i++)
        {
            if (i >= nameless.Count)
            {
                _all.Add(Silent(silent[i], nameless.Count == 0));
            }
            else if (isTold)
            {
                nameless[i].WasOpen(silent[i]);
            }
        }
    }

    /// <summary>Returns a connection without events. It has no endpoints if other connections could be meant.</summary>
    private static Connection Silent(OpenConnection open, bool isNamed)
    {
        var connection = new Connection { Endpoints = isNamed ? open.Endpoints : null };
        connection.WasOpen(open);
        return connection;
    }

    private static bool Waits(Connection connection, HashSet<IPEndPoint> served) =>
        !connection.IsOthers && connection.Role != SocketRole.Connected
        && connection.Endpoints is { } endpoints && served.Contains(endpoints.Local);

    private bool IsClosed(ulong socket) => _latest.TryGetValue(socket, out var connection) && connection.Closed >= 0;

    private Connection Of(ulong socket)
    {
        if (!_latest.TryGetValue(socket, out var connection) || connection.Closed >= 0)
        {
            _latest[socket] = connection = new Connection(); // the kernel reuses the address of a closed socket
            _all.Add(connection);
        }

        return connection;
    }
}
