using System.Net;

namespace Poolscope.KernelEvents;

/// <summary>Both ends of a TCP connection, as this machine sees them. An IPv4 connection on a dual-stack socket has
/// IPv4 addresses.</summary>
public readonly record struct SocketEndpoints(IPEndPoint Local, IPEndPoint Remote);

/// <summary>The states of a TCP connection in a recording (enum in the kernel's net/tcp_states.h).</summary>
public enum TcpState
{
    Established = 1,
    SynSent = 2,
    SynReceived = 3,
    FinWait1 = 4,
    FinWait2 = 5,
    TimeWait = 6,
    Closed = 7,
    CloseWait = 8,
    LastAck = 9,
    Listen = 10,
    Closing = 11,
    NewSynReceived = 12,
}
