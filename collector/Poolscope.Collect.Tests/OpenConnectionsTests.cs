using Poolscope.Collect.Processes;
using Xunit;

namespace Poolscope.Collect.Tests;

/// <summary>Lines in the kernel's format (6.18).</summary>
public sealed class OpenConnectionsTests : IDisposable
{
    private const string Head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    private readonly FakeRoot _root = new();

    public OpenConnectionsTests()
    {
        Directory.CreateDirectory(_root.Proc.PathOf(FakeRoot.Pid, "fd"));
        Owns("3", "socket:[100]");
        Owns("4", "socket:[101]");
        Owns("5", "socket:[103]");
        Owns("6", "pipe:[104]");
    }

    public void Dispose() => _root.Dispose();

    [Fact]
    public void Connections_of_the_process_and_those_that_it_has_yet_to_accept()
    {
        Tcp(
            Row("00000000:1388", "00000000:0000", "0A", "00000000:00000002", 100),
            Row("0100007F:1388", "0100007F:9C40", "01", "00000000:00000050", 101),
            Row("0100007F:1388", "0100007F:9C41", "01", "00000000:0000004F", 0),
            Row("0100007F:9C42", "0700000A:1538", "01", "00000000:00000000", 103),
            Row("0100007F:9C40", "0100007F:1388", "01", "00000000:00000000", 900),
            Row("0100007F:1388", "0100007F:9C43", "06", "00000000:00000000", 0));

        Assert.Equal(
            ["5,accepted,127.0.0.1:5000,127.0.0.1:40000,80", "5,accepted,127.0.0.1:5000,127.0.0.1:40001,79", "5,connected,127.0.0.1:40002,10.0.0.7:5432,0"],
            Read());
    }

    [Fact]
    public void Addresses_of_both_families_are_written_as_the_kernel_s_events_have_them()
    {
        _root.Write($"/proc/{FakeRoot.Pid}/net/tcp6", Head
            + Row("00000000000000000000000000000000:1388", "00000000000000000000000000000000:0000", "0A", "00000000:00000000", 100) + "\n"
            + Row("0000000000000000FFFF00000100007F:1388", "0000000000000000FFFF00000100007F:9C40", "08", "00000000:00000001", 101) + "\n"
            + Row("00000000000000000000000001000000:1388", "00000000000000000000000001000000:9C41", "01", "00000000:00000000", 103) + "\n");

        Assert.Equal(["5,accepted,127.0.0.1:5000,127.0.0.1:40000,1", "5,accepted,[::1]:5000,[::1]:40001,0"], Read());
    }

    [Fact]
    public void What_waits_where_another_process_listens_as_well_is_nobody_s()
    {
        Tcp(
            Row("00000000:1388", "00000000:0000", "0A", "00000000:00000000", 100),
            Row("0100007F:1388", "00000000:0000", "0A", "00000000:00000000", 800),
            Row("0100007F:1388", "0100007F:9C41", "01", "00000000:0000004F", 0));

        Assert.Empty(Read());
    }

    [Fact]
    public void Of_a_process_that_is_gone_and_of_lines_that_cannot_be_nothing_is_told()
    {
        Tcp(Row("0100007F1388", "0100007F:9C40", "01", "0:0", 101), Row("zz00007F:1388", "0100007F:9C40", "01", "0:0", 101), "", "  0: 1");

        Assert.Empty(Read());
        Assert.Empty(OpenConnections.Read(_root.Proc, 1, 5));
    }

    private static string Row(string local, string remote, string state, string queues, int inode) =>
        $"   0: {local} {remote} {state} {queues} 00:00000000 00000000  1000        0 {inode} 1 0000000000000000 100 0 0 10 0";

    private void Tcp(params string[] rows) => _root.Write($"/proc/{FakeRoot.Pid}/net/tcp", Head + string.Join('\n', rows) + "\n");

    private void Owns(string file, string target) => File.CreateSymbolicLink(Path.Combine(_root.Proc.PathOf(FakeRoot.Pid, "fd"), file), target);

    private IEnumerable<string> Read() => OpenConnections.Read(_root.Proc, FakeRoot.Pid, 5).Select(connection => connection.ToLine());
}
