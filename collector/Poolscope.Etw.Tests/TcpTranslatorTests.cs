using System.Net;
using Poolscope.Etw.Reading;
using Poolscope.KernelEvents;
using Xunit;

namespace Poolscope.Etw.Tests;

/// <summary>Events of TCP/IP are translated from the bytes of their payloads.</summary>
public sealed class TcpTranslatorTests
{
    private readonly RecordedCalls _told = new();
    private readonly KernelTranslator _kernel;

    public TcpTranslatorTests() => _kernel = new KernelTranslator(_told, _ => null);

    [Theory]
    [InlineData(4, "127.0.0.1", "192.0.2.7")]
    [InlineData(8, "127.0.0.1", "192.0.2.7")]
    [InlineData(4, "2001:db8::1", "2001:db8::2")]
    [InlineData(8, "2001:db8::1", "2001:db8::2")]
    public void Of_every_event_process_bytes_and_ends_are_told(int pointerSize, string localAddress, string remoteAddress)
    {
        // 5000 is 0x1388; in the wrong byte order it would be 34835.
        var (local, remote) = (new IPEndPoint(IPAddress.Parse(localAddress), 5000), new IPEndPoint(IPAddress.Parse(remoteAddress), 443));
        var ipv6 = localAddress.Contains(':', StringComparison.Ordinal);
        _kernel.TranslateTcp(TcpReport.Accept, ipv6, 1, KernelPayloads.TcpBegins(pointerSize, 100, local, remote));
        _kernel.TranslateTcp(TcpReport.Received, ipv6, 2, KernelPayloads.Tcp(pointerSize, 100, 80, local, remote));
        _kernel.TranslateTcp(TcpReport.Transmitted, ipv6, 3, KernelPayloads.TcpSend(pointerSize, 100, 70_000, local, remote));
        _kernel.TranslateTcp(TcpReport.Retransmitted, ipv6, 4, KernelPayloads.Tcp(pointerSize, 100, 1460, local, remote));
        _kernel.TranslateTcp(TcpReport.Disconnect, ipv6, 5, KernelPayloads.Tcp(pointerSize, 100, 0, local, remote));
        Assert.Equal(
            [
                $"SocketReport 1 100 Accept 0 {local} {remote}",
                $"SocketReport 2 100 Received 80 {local} {remote}",
                $"SocketReport 3 100 Transmitted 70000 {local} {remote}",
                $"SocketReport 4 100 Retransmitted 1460 {local} {remote}",
                $"SocketReport 5 100 Disconnect 0 {local} {remote}",
            ],
            _told.Calls);
    }

    [Fact]
    public void IPv4_on_a_socket_of_both_families_is_IPv4()
    {
        var (local, remote) = (new IPEndPoint(IPAddress.Parse("::ffff:127.0.0.1"), 5000), new IPEndPoint(IPAddress.Parse("::ffff:192.0.2.7"), 40000));
        _kernel.TranslateTcp(TcpReport.Received, ipv6: true, 2, KernelPayloads.Tcp(8, 100, 80, local, remote));
        Assert.Equal(["SocketReport 2 100 Received 80 127.0.0.1:5000 192.0.2.7:40000"], _told.Calls);
    }

    [Theory]
    [InlineData(false, 28)]
    [InlineData(true, 52)]
    public void A_payload_that_is_cut_is_passed_over(bool ipv6, int length)
    {
        var end = new IPEndPoint(ipv6 ? IPAddress.IPv6Loopback : IPAddress.Loopback, 5000);
        var whole = KernelPayloads.Tcp(4, 100, 80, end, end);
        Assert.Equal(length, whole.Length); // as documented
        for (var bytes = 0; bytes < length; bytes++)
        {
            _kernel.TranslateTcp(TcpReport.Received, ipv6, 1, whole.AsSpan(0, bytes));
        }

        Assert.Empty(_told.Calls);
        _kernel.TranslateTcp(TcpReport.Received, ipv6, 1, whole);
        Assert.Single(_told.Calls);
    }

    [Fact]
    public void The_order_of_fields_before_Windows_Vista_is_not_taken_for_ours()
    {
        // Version 0: both addresses, both ports, size, process.
        byte[] old = [192, 0, 2, 7, 127, 0, 0, 1, 1, 187, 19, 136, 80, 0, 0, 0, 100, 0, 0, 0];
        _kernel.TranslateTcp(TcpReport.Received, ipv6: false, 1, old);
        Assert.Empty(_told.Calls);
    }

    [Fact]
    public void A_number_of_bytes_beyond_two_gigabytes_is_none()
    {
        var end = new IPEndPoint(IPAddress.Loopback, 5000);
        _kernel.TranslateTcp(TcpReport.Received, ipv6: false, 1, KernelPayloads.Tcp(8, 100, -1, end, end));
        Assert.Empty(_told.Calls);
    }
}
