using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Poolscope.KernelEvents;
using Xunit;

namespace Poolscope.PerfEvents.Tests;

/// <summary>A recorded connection of this process to itself.</summary>
[Trait("live", "yes")]
public sealed class SocketLiveTests : IDisposable
{
    private const int Rounds = 200;
    private const int Bytes = 10;

    private readonly string _folder = Directory.CreateTempSubdirectory("poolscope-sockets").FullName;

    public SocketLiveTests()
    {
        var probe = TracepointAccess.Probe();
        Assert.SkipUnless(probe.Available, probe.Why);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_is_sent_arrives_and_is_read(bool onlyTarget)
    {
        var options = new SchedulerRecordingOptions(_folder) { Sockets = true, TargetPid = Environment.ProcessId, OnlyTarget = onlyTarget };
        using var recording = SchedulerRecording.Start(options);
        Assert.SkipUnless(recording.SocketsRefused is null, recording.SocketsRefused ?? "");
        var port = Talk();
        recording.Stop();

        var sink = new Heard(port);
        PerfDataReader.Read(_folder, sink, TestContext.Current.CancellationToken);
        Assert.Equal((Rounds * Bytes, Rounds * Bytes, Rounds * Bytes), (sink.Sent, sink.Arrived, sink.Taken));
        Assert.Equal([TcpState.Established], sink.Accepted);
        Assert.Subset(new HashSet<TcpState> { TcpState.Established, TcpState.SynSent, TcpState.CloseWait, TcpState.Closed }, sink.States);
        Assert.Equal(0, sink.ReadBeforeArrival);
    }

    [Fact]
    public async Task Perf_script_names_the_events()
    {
        Assert.SkipUnless(File.Exists("/usr/bin/perf"), "perf is not installed");
        using (var recording = SchedulerRecording.Start(new SchedulerRecordingOptions(_folder) { Sockets = true, TargetPid = Environment.ProcessId }))
        {
            Assert.SkipUnless(recording.SocketsRefused is null, recording.SocketsRefused ?? "");
            Talk();
        }

        using var perf = Process.Start(new ProcessStartInfo("/usr/bin/perf", ["script", "-i", Path.Combine(_folder, SchedulerRecording.DataFileName)]) { RedirectStandardOutput = true })!;
        var text = await perf.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await perf.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(0, perf.ExitCode);
        Assert.All(
            ["tcp:tcp_probe", "sock:sock_send_length", "sock:sock_recv_length", "sock:inet_sock_set_state", "sched:sched_switch"],
            name => Assert.Contains(name, text, StringComparison.Ordinal));
    }

    /// <returns>The port of the accepting end.</returns>
    private static int Talk()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var client = new TcpClient();
        client.Connect((IPEndPoint)listener.LocalEndpoint);
        using var server = listener.AcceptTcpClient();
        var (message, read) = (new byte[Bytes], new byte[Bytes]);
        for (var i = 0; i < Rounds; i++)
        {
            client.GetStream().Write(message);
            server.GetStream().ReadExactly(read);
        }

        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private sealed class Heard(int port) : ISchedulerEvents
    {
        private readonly HashSet<ulong> _here = [];
        private readonly Dictionary<ulong, int> _waiting = [];

        internal int Sent { get; private set; }

        internal int Arrived { get; private set; }

        internal int Taken { get; private set; }

        internal int ReadBeforeArrival { get; private set; }

        internal List<TcpState> Accepted { get; } = [];

        internal HashSet<TcpState> States { get; } = [];

        void ISchedulerEvents.SocketArrival(long time, ulong socket, int bytes, SocketEndpoints endpoints)
        {
            if (_here.Contains(socket) && endpoints.Local.Port == port)
            {
                Arrived += bytes;
                _waiting[socket] = _waiting.GetValueOrDefault(socket) + bytes;
            }
        }

        void ISchedulerEvents.SocketSend(long time, int pid, int tid, ulong socket, int bytes)
        {
            if (pid == Environment.ProcessId && !_here.Contains(socket) && bytes == Bytes)
            {
                Sent += bytes;
            }
        }

        void ISchedulerEvents.SocketRead(long time, int pid, int tid, ulong socket, int bytes)
        {
            if (_here.Contains(socket))
            {
                Assert.Equal(Environment.ProcessId, pid);
                Taken += bytes;
                _waiting[socket] = _waiting.GetValueOrDefault(socket) - bytes;
                ReadBeforeArrival += _waiting[socket] < 0 ? 1 : 0;
            }
        }

        void ISchedulerEvents.SocketState(long time, int pid, int tid, ulong socket, TcpState before, TcpState after, SocketEndpoints endpoints)
        {
            States.Add(after);
            if (endpoints.Local.Port == port && after is TcpState.SynReceived or TcpState.Established)
            {
                _here.Add(socket);
                Accepted.Add(after);
            }
        }
    }
}
