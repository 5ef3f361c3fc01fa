using System.Net;
using Poolscope.Decode.Tests.Scheduler;
using Poolscope.KernelEvents;
using Xunit;

namespace Poolscope.Decode.Tests.Sockets;

/// <summary>Connections as Windows reports them: by process and both ends. The target is process 1, another one is
/// process 2.</summary>
public sealed class ReportedSocketsTests
{
    private const int Target = Scripted.Target;
    private const int Other = 2;

    private static readonly SocketEndpoints Ends = new(new IPEndPoint(IPAddress.Loopback, 5000), new IPEndPoint(IPAddress.Parse("192.0.2.7"), 40000));

    public static TheoryData<string, Action<ISchedulerEvents>, string, string> Cases() => new()
    {
        {
            "somebody connects, asks, is answered and leaves",
            e =>
            {
                e.SocketReport(1, Target, TcpReport.Accept, 0, Ends);
                e.SocketReport(5, Target, TcpReport.Received, 80, Ends);
                e.SocketReport(9, Target, TcpReport.Transmitted, 300, Ends);
                e.SocketReport(20, Target, TcpReport.Retransmitted, 300, Ends);
                e.SocketReport(30, Target, TcpReport.Disconnect, 0, Ends);
            },
            "0 accepted 127.0.0.1:5000 192.0.2.7:40000 1 30 -1",
            "5 0 received 80, 9 0 transmitted 300, 20 0 retransmitted 300"
        },
        {
            "open before the recording",
            e => e.SocketReport(5, Target, TcpReport.Received, 80, Ends),
            "0 unknown 127.0.0.1:5000 192.0.2.7:40000 -1 -1 -1",
            "5 0 received 80"
        },
        {
            "the target connects: when that was made is not told",
            e => e.SocketReport(5, Target, TcpReport.Connect, 0, Ends),
            "0 connected 127.0.0.1:5000 192.0.2.7:40000 -1 -1 -1",
            ""
        },
        {
            "its first data is told before that it was accepted: one connection",
            e =>
            {
                e.SocketReport(5, Target, TcpReport.Received, 80, Ends);
                e.SocketReport(6, Target, TcpReport.Accept, 0, Ends);
            },
            "0 accepted 127.0.0.1:5000 192.0.2.7:40000 6 -1 -1",
            "5 0 received 80"
        },
        {
            "what was underway when it was closed is still its own; who connects from there again is another",
            e =>
            {
                e.SocketReport(1, Target, TcpReport.Accept, 0, Ends);
                e.SocketReport(5, Target, TcpReport.Disconnect, 0, Ends);
                e.SocketReport(6, Target, TcpReport.Received, 80, Ends);
                e.SocketReport(7, Target, TcpReport.Disconnect, 0, Ends);
                e.SocketReport(8, Target, TcpReport.Accept, 0, Ends);
                e.SocketReport(9, Target, TcpReport.Received, 90, Ends);
            },
            "0 accepted 127.0.0.1:5000 192.0.2.7:40000 1 5 -1, 1 accepted 127.0.0.1:5000 192.0.2.7:40000 8 -1 -1",
            "6 0 received 80, 9 1 received 90"
        },
        {
            "both ends are the target's own",
            e =>
            {
                var back = new SocketEndpoints(Ends.Remote, Ends.Local);
                e.SocketReport(1, Target, TcpReport.Connect, 0, back);
                e.SocketReport(2, Target, TcpReport.Accept, 0, Ends);
                e.SocketReport(3, Target, TcpReport.Transmitted, 80, back);
                e.SocketReport(4, Target, TcpReport.Received, 80, Ends);
            },
            "0 connected 192.0.2.7:40000 127.0.0.1:5000 -1 -1 -1, 1 accepted 127.0.0.1:5000 192.0.2.7:40000 2 -1 -1",
            "3 0 transmitted 80, 4 1 received 80"
        },
        {
            "somebody else's",
            e => e.SocketReport(5, Other, TcpReport.Received, 80, Ends),
            "",
            ""
        },
    };

    [Theory]
    [MemberData(nameof(Cases))]
    public void Rows_are(string why, Action<ISchedulerEvents> events, string sockets, string reports)
    {
        var tables = Scripted.Run(0, 100, events);

        Assert.True(tables.HasReportedSockets);
        Assert.Equal((why, sockets), (why, string.Join(", ", TableRows.Of(tables.ReportedSockets))));
        Assert.Equal((why, reports), (why, string.Join(", ", TableRows.Of(tables.SocketReports))));
    }

    [Fact]
    public void Without_an_event_nothing_is_known_which_is_not_none() =>
        Assert.False(Scripted.Run(0, 100, _ => { }).HasReportedSockets);
}
