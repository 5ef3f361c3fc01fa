using System.Net;
using System.Net.Sockets;
using Poolscope.Collect.Processes;
using Poolscope.KernelEvents;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>The two ways to list sockets agree about the sockets of this process.</summary>
public class TcpDiagnosisTests
{
    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    public async Task It_lists_what_the_kernel_s_text_lists(string address)
    {
        using var listener = new TcpListener(IPAddress.Parse(address), 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        using var first = new TcpClient(address, port);
        using var accepted = await listener.AcceptTcpClientAsync(TestContext.Current.CancellationToken);
        await first.GetStream().WriteAsync(new byte[79], TestContext.Current.CancellationToken);
        using var waiting = new TcpClient(address, port);
        using (var closed = new TcpClient(address, port))
        {
            closed.Client.Shutdown(SocketShutdown.Send); // the other end is left in CLOSE_WAIT
            var told = Of(TcpDiagnosis.Read(), port);

            Assert.Equal(Of(TcpFiles.Read(ProcFs.System, Environment.ProcessId), port), told);
            Assert.Equal(6, told.Count);
            Assert.Single(told, row => row is { State: TcpState.Established, Unread: 79 } && row.Ends.Local.Port == port && row.Inode != TcpRow.NoInode);
            Assert.Single(told, row => row is { State: TcpState.Established, Inode: TcpRow.NoInode });
            Assert.Single(told, row => row is { State: TcpState.CloseWait, Inode: TcpRow.NoInode });
        }
    }

    private static List<TcpRow> Of(IReadOnlyList<TcpRow>? rows, int port)
    {
        Assert.NotNull(rows);
        return [.. rows.Where(row => row.Ends.Local.Port == port || row.Ends.Remote.Port == port)
            .OrderBy(row => row.State).ThenBy(row => row.Ends.Local.Port).ThenBy(row => row.Ends.Remote.Port)];
    }
}
