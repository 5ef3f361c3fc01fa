namespace Poolscope.KernelEvents;

/// <summary>What Windows tells of a TCP connection. Neither the thread is told nor, of data, whether it came or was read:
/// docs/event-semantics.md says what is known of each.</summary>
public enum TcpReport
{
    Received,
    Transmitted,
    Retransmitted,

    /// <summary>The process asked for the connection.</summary>
    Connect,

    /// <summary>Somebody else asked the process for it.</summary>
    Accept,

    Disconnect,
}
