namespace Poolscope.KernelEvents;

/// <summary>A TCP event that Windows reports. It names no thread, and does not say whether data arrived or was read:
/// docs/event-semantics.md describes each event.</summary>
public enum TcpReport
{
    Received,
    Transmitted,
    Retransmitted,

    /// <summary>The process requested the connection.</summary>
    Connect,

    /// <summary>The other end requested the connection.</summary>
    Accept,

    Disconnect,
}
