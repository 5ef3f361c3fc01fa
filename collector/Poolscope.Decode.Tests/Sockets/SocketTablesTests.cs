using System.Net;
using Poolscope.Decode.Sockets;
using Poolscope.Decode.Tests.Scheduler;
using Poolscope.KernelEvents;
using Poolscope.Tables;
using Xunit;

namespace Poolscope.Decode.Tests.Sockets;

/// <summary>Connections and transfers from hand-written events. The target is process 1, another one is process 2.</summary>
public sealed class SocketTablesTests
{
    private const int Target = Scripted.Target;
    private const int Other = 2;
    private const ulong One = 0xffff_8881_0000_0100;
    private const ulong Two = 0xffff_8881_0000_0900;
    private const ulong Three = 0xffff_8881_0000_1100;

    private static readonly SocketEndpoints Ends = new(new IPEndPoint(IPAddress.Loopback, 5000), new IPEndPoint(IPAddress.Parse("192.0.2.7"), 40000));
    private static readonly SocketEndpoints Elsewhere = new(new IPEndPoint(IPAddress.Loopback, 5001), new IPEndPoint(IPAddress.Parse("192.0.2.7"), 40001));

    public static TheoryData<string, Action<ISchedulerEvents>, string, string> Cases() => new()
    {
        {
            "a request that was served",
            e => { e.Accepts(1, One); e.SocketArrival(5, One, 80, Ends); e.SocketRead(9, Target, 7, One, 80); e.SocketSend(12, Target, 8, One, 300); },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 1 -1",
            "5 arrived 0 80 -1, 9 read 0 80 7, 12 sent 0 300 8"
        },
        {
            "an answer that the other end is slow to take",
            e => { e.Accepts(1, One); e.SocketSend(5, Target, 7, One, 300); e.SocketSend(6, Target, 7, One, -11); e.SocketSend(9, Target, 8, One, 200); },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 1 -1",
            "5 sent 0 300 7, 6 full 0 0 7, 9 sent 0 200 8"
        },
        {
            "data that nobody read yet belongs to whoever sent on the connection",
            e => { e.SocketSend(2, Target, 7, One, 10); e.SocketArrival(5, One, 80, Ends); },
            "unknown 127.0.0.1:5000 192.0.2.7:40000 -1 -1",
            "2 sent 0 10 7, 5 arrived 0 80 -1"
        },
        {
            "a connection of somebody else, both of its ends on this machine",
            e => { e.SocketArrival(5, One, 80, Ends); e.SocketRead(9, Other, 70, One, 80); e.SocketArrival(6, Two, 80, Ends); },
            "",
            ""
        },
        {
            "the target serves there, and has not got round to this one",
            e =>
            {
                e.Accepts(1, One); e.SocketRead(5, Target, 7, One, 20);
                e.Accepts(6, Two); e.SocketArrival(7, Two, 80, Ends);
            },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 1 -1, accepted 127.0.0.1:5000 192.0.2.7:40000 6 -1",
            "5 read 0 20 7, 7 arrived 1 80 -1"
        },
        {
            "another process serves there, too: whose one it would be is not known",
            e =>
            {
                e.Accepts(1, One); e.SocketRead(5, Target, 7, One, 20);
                e.Accepts(2, Three); e.SocketRead(6, Other, 70, Three, 20);
                e.Accepts(6, Two); e.SocketArrival(7, Two, 80, Ends);
            },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 1 -1",
            "5 read 0 20 7"
        },
        {
            "it came to an address at which the target serves nothing",
            e =>
            {
                e.Accepts(1, One); e.SocketRead(5, Target, 7, One, 20);
                e.SocketArrival(7, Two, 80, Elsewhere);
            },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 1 -1",
            "5 read 0 20 7"
        },
        {
            "open before the recording, where two others were served",
            e =>
            {
                e.SocketArrival(1, One, 5, Ends); e.SocketRead(2, Target, 7, One, 5);
                e.SocketArrival(3, Three, 5, Ends); e.SocketRead(4, Target, 7, Three, 5);
                e.SocketArrival(7, Two, 80, Ends);
            },
            "unknown 127.0.0.1:5000 192.0.2.7:40000 -1 -1, unknown 127.0.0.1:5000 192.0.2.7:40000 -1 -1, unknown 127.0.0.1:5000 192.0.2.7:40000 -1 -1",
            "1 arrived 0 5 -1, 2 read 0 5 7, 3 arrived 1 5 -1, 4 read 1 5 7, 7 arrived 2 80 -1"
        },
        {
            "open before the recording, where one other was used: the target may have asked for that",
            e =>
            {
                e.SocketArrival(1, One, 5, Ends); e.SocketRead(2, Target, 7, One, 5);
                e.SocketArrival(7, Two, 80, Ends);
            },
            "unknown 127.0.0.1:5000 192.0.2.7:40000 -1 -1",
            "1 arrived 0 5 -1, 2 read 0 5 7"
        },
        {
            "the target's own end of a connection that it asked for is no place where it serves",
            e =>
            {
                e.Connects(1, One); e.SocketSend(2, Target, 7, One, 10);
                e.SocketArrival(7, Two, 80, Ends);
            },
            "connected 127.0.0.1:5000 192.0.2.7:40000 1 -1",
            "1 connecting 0 0 9, 1 connected 0 0 -1, 2 sent 0 10 7"
        },
        {
            "the kernel uses an address again: two connections",
            e =>
            {
                e.Connects(1, One); e.SocketSend(2, Target, 7, One, 10); e.Closes(3, One);
                e.Accepts(4, One); e.SocketRead(6, Target, 7, One, 20); e.Closes(8, One);
            },
            "connected 127.0.0.1:5000 192.0.2.7:40000 1 3, accepted 127.0.0.1:5000 192.0.2.7:40000 4 8",
            "1 connecting 0 0 9, 1 connected 0 0 -1, 2 sent 0 10 7, 6 read 1 20 7"
        },
        {
            "the other end closes: nothing was read",
            e => { e.Accepts(1, One); e.SocketRead(5, Target, 7, One, 0); },
            "",
            ""
        },
        {
            "the other end closes its side, and a thread is told so; before, a thread asks for no bytes",
            e =>
            {
                e.Connects(1, One); e.SocketSend(2, Target, 7, One, 10); e.SocketRead(3, Target, 7, One, 0);
                e.SocketState(5, Target, 7, One, TcpState.Established, TcpState.CloseWait, Ends); e.SocketRead(6, Target, 8, One, 0);
            },
            "connected 127.0.0.1:5000 192.0.2.7:40000 1 -1",
            "1 connecting 0 0 9, 1 connected 0 0 -1, 2 sent 0 10 7, 5 ended 0 0 -1, 6 end_read 0 0 8"
        },
        {
            "a thread sends on what is closed: no other connection, and no answer",
            e => { e.Accepts(1, One); e.SocketRead(2, Target, 7, One, 20); e.Closes(3, One); e.SocketSend(4, Target, 7, One, 10); },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 1 3",
            "2 read 0 20 7"
        },
        {
            "a connection that was asked for and that nobody answered",
            e => e.SocketState(1, Target, 9, One, TcpState.Closed, TcpState.SynSent, Ends),
            "connected   -1 -1",
            "1 connecting 0 0 9"
        },
        {
            "a listener is no connection",
            e => { e.SocketState(1, Target, 7, Two, TcpState.Closed, TcpState.Listen, Ends); e.SocketState(9, Target, 7, Two, TcpState.Listen, TcpState.Closed, Ends); },
            "",
            ""
        },
        {
            "of one moment, in the order in which it was told",
            e => { e.SocketArrival(5, One, 1, Ends); e.SocketRead(5, Target, 7, One, 1); e.SocketArrival(5, One, 2, Ends); },
            "unknown 127.0.0.1:5000 192.0.2.7:40000 -1 -1",
            "5 arrived 0 1 -1, 5 read 0 1 7, 5 arrived 0 2 -1"
        },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void Rows_are(string why, Action<ISchedulerEvents> events, string sockets, string transfers)
    {
        var tables = Scripted.Run(0, 100, events);

        Assert.Equal((why, sockets), (why, Connections(tables.Sockets)));
        Assert.Equal((why, transfers), (why, Transfers(tables.SocketTransfers)));
    }

    /// <summary>The connections that the collector saw as the recording began, the events, and the role, ends and time
    /// of unread data of each connection.</summary>
    public static TheoryData<string, string[], Action<ISchedulerEvents>, string> FromBefore() => new()
    {
        {
            "its answer comes: the target had asked for it",
            ["2,connected,127.0.0.1:5000,192.0.2.7:40000,0"],
            e => { e.SocketSend(3, Target, 7, One, 10); e.SocketArrival(5, One, 80, Ends); },
            "connected 127.0.0.1:5000 192.0.2.7:40000 -1"
        },
        {
            "what lay in it is read, and then more comes",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,80"],
            e => { e.SocketRead(3, Target, 7, One, 80); e.SocketArrival(5, One, 80, Ends); },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 2"
        },
        {
            "what lay in it is read, and the client closes it",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,80"],
            e => { e.SocketRead(3, Target, 7, One, 80); e.SocketState(5, 99, 98, One, TcpState.Established, TcpState.CloseWait, Ends); },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 2"
        },
        {
            "what lay in them is read, and nothing else comes: two of three",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,80", "2,accepted,127.0.0.1:5000,192.0.2.7:40002,80", "2,accepted,127.0.0.1:5000,192.0.2.7:40003,80"],
            e => { e.SocketRead(3, Target, 7, One, 80); e.SocketRead(4, Target, 7, Two, 80); },
            "accepted   2, accepted   2, accepted   2"
        },
        {
            "nobody reads it",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,80", "2,accepted,127.0.0.1:5000,192.0.2.7:40001,0"],
            e => { },
            "accepted 127.0.0.1:5000 192.0.2.7:40000 2, accepted 127.0.0.1:5000 192.0.2.7:40001 -1"
        },
        {
            "an answer is sent on one of two, and nothing else comes: which one it is is not told",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,0", "2,accepted,127.0.0.1:5000,192.0.2.7:40001,0"],
            e => e.SocketSend(3, Target, 7, One, 10),
            "accepted   -1, accepted   -1"
        },
        {
            "an answer lay in one, and requests in two: told by how much was read",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,80", "2,connected,127.0.0.1:40009,192.0.2.7:5432,60", "2,accepted,127.0.0.1:5000,192.0.2.7:40001,80"],
            e => { e.SocketRead(3, Target, 7, One, 80); e.SocketSend(4, Target, 7, One, 9); e.SocketRead(5, Target, 7, Two, 30); e.SocketRead(6, Target, 7, Two, 50); },
            "accepted   2, accepted   2, connected 127.0.0.1:40009 192.0.2.7:5432 2"
        },
        {
            "as much lay in a request as in an answer: which was read is not told",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,80", "2,connected,127.0.0.1:40009,192.0.2.7:5432,80"],
            e => e.SocketRead(3, Target, 7, One, 80),
            "unknown   -1, connected   2"
        },
        {
            "more was read than was seen: which is which is not known",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,80"],
            e => { e.SocketRead(3, Target, 7, One, 80); e.SocketRead(4, Target, 7, Two, 80); },
            "unknown   -1, unknown   -1"
        },
        {
            "the same ends, opened anew while the recording ran",
            ["2,accepted,127.0.0.1:5000,192.0.2.7:40000,0"],
            e => { e.Connects(5, One); e.SocketSend(6, Target, 7, One, 10); },
            "connected 127.0.0.1:5000 192.0.2.7:40000 -1, accepted 127.0.0.1:5000 192.0.2.7:40000 -1"
        },
    };

    [Theory]
    [MemberData(nameof(FromBefore))]
    public void Connections_from_before_the_recording_are(string why, string[] before, Action<ISchedulerEvents> events, string sockets)
    {
        var tables = Scripted.Run(0, 100, events, [.. before.Select(line => OpenConnection.Parse(line)!.Value)]);

        Assert.Equal((why, sockets), (why, string.Join(", ", Enumerable.Range(0, tables.Sockets.Count).Select(row =>
            $"{Named(tables.Sockets, "role", row)} {tables.Sockets.String("local")[row]} {tables.Sockets.String("remote")[row]} {tables.Sockets.Int64("unread_at")[row]}"))));
    }

    [Theory]
    [InlineData("time_ns,side,local,remote,unread")]
    [InlineData("2,accepted,127.0.0.1:5000,192.0.2.7:40000")]
    [InlineData("2,taken,127.0.0.1:5000,192.0.2.7:40000,0")]
    [InlineData("2,accepted,nowhere,192.0.2.7:40000,0")]
    [InlineData("-2,accepted,127.0.0.1:5000,192.0.2.7:40000,0")]
    [InlineData("2,accepted,127.0.0.1:5000,192.0.2.7:40000,-1")]
    public void What_is_no_line_of_a_connection_is_none(string line) => Assert.Null(OpenConnection.Parse(line));

    private static string Connections(Table table) => string.Join(", ", Enumerable.Range(0, table.Count).Select(row =>
        $"{Named(table, "role", row)} {table.String("local")[row]} {table.String("remote")[row]} {table.Int64("opened")[row]} {table.Int64("closed")[row]}"));

    private static string Transfers(Table table) => string.Join(", ", Enumerable.Range(0, table.Count).Select(row =>
        $"{table.Int64("time")[row]} {Named(table, "direction", row)} {table.Int32("socket")[row]} {table.Int32("bytes")[row]} {table.Int32("tid")[row]}"));

    private static string Named(Table table, string column, int row) =>
        table.Schema.Columns.Single(c => c.Name == column).Values![table.Enum(column)[row]];
}

internal static class ScriptedSockets
{
    private static readonly SocketEndpoints Ends = new(new IPEndPoint(IPAddress.Loopback, 5000), new IPEndPoint(IPAddress.Parse("192.0.2.7"), 40000));

    /// <summary>Reports an accepted connection as the kernel does: the last step comes in the process that the
    /// interrupt found.</summary>
    internal static void Accepts(this ISchedulerEvents events, long time, ulong socket)
    {
        events.SocketState(time, 99, 98, socket, TcpState.Listen, TcpState.SynReceived, Ends);
        events.SocketState(time, 99, 98, socket, TcpState.SynReceived, TcpState.Established, Ends);
    }

    internal static void Connects(this ISchedulerEvents events, long time, ulong socket)
    {
        events.SocketState(time, Scripted.Target, 9, socket, TcpState.Closed, TcpState.SynSent, Ends);
        events.SocketState(time, 99, 98, socket, TcpState.SynSent, TcpState.Established, Ends);
    }

    internal static void Closes(this ISchedulerEvents events, long time, ulong socket) =>
        events.SocketState(time, 99, 98, socket, TcpState.LastAck, TcpState.Closed, Ends);
}
