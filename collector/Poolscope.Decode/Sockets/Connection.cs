using Poolscope.KernelEvents;

namespace Poolscope.Decode.Sockets;

/// <summary>How a connection began, as `sockets.role` numbers it.</summary>
internal enum SocketRole : byte
{
    /// <summary>It was open before the recording, or its beginning was not reported.</summary>
    Unknown,

    /// <summary>Another endpoint connected to the target.</summary>
    Accepted,

    /// <summary>The target connected to another endpoint.</summary>
    Connected,
}

/// <summary>The kind of a transfer, as `socket_io.direction` numbers it.</summary>
internal enum SocketDirection : byte
{
    Arrived,
    Read,
    Sent,

    /// <summary>The other end has sent its last byte.</summary>
    Ended,

    /// <summary>A thread read the end of the stream.</summary>
    EndRead,

    /// <summary>A thread requested the connection.</summary>
    Connecting,

    /// <summary>The other end accepted the connection.</summary>
    Connected,

    /// <summary>A thread had data to send, but the kernel's buffer was full of data that the other end had not
    /// taken.</summary>
    Full,
}

/// <param name="Tid">The thread; -1 for arrivals, which belong to no thread.</param>
internal readonly record struct SocketTransfer(long Time, SocketDirection Direction, int Bytes, int Tid);

/// <summary>One TCP connection of any process, from its first event to its last.</summary>
internal sealed class Connection
{
    internal SocketEndpoints? Endpoints { get; set; }

    internal SocketRole Role { get; set; }

    /// <summary>Time at which the connection was opened; -1 if not reported.</summary>
    internal long Opened { get; set; } = -1;

    /// <summary>A time at which data that arrived before the recording was unread, ns; -1 if there was none, or
    /// unknown.</summary>
    internal long UnreadAt { get; set; } = -1;

    /// <summary>Whether the other end has sent its last byte.</summary>
    internal bool HasEnded { get; set; }

    /// <summary>Time at which the connection was closed; -1 if not reported.</summary>
    internal long Closed { get; set; } = -1;

    /// <summary>Whether a thread of the target read from, sent on or requested the connection.</summary>
    internal bool IsTargets { get; private set; }

    /// <summary>Whether a thread of another process used it.</summary>
    internal bool IsOthers { get; set; }

    internal List<SocketTransfer> Transfers { get; } = [];

    /// <summary>Bytes that must have been unread when the recording began: those read before any data arrived or was
    /// sent.</summary>
    internal long UnreadBefore => Transfers.TakeWhile(t => t.Direction == SocketDirection.Read).Sum(t => (long)t.Bytes);

    /// <summary>Marks the connection as the target's and open when the recording began.</summary>
    internal void WasOpen(OpenConnection before)
    {
        IsTargets = true;
        Role = before.Accepted ? SocketRole.Accepted : SocketRole.Connected;
        UnreadAt = before.Unread > 0 ? before.Time : -1;
    }

    internal void Use(SocketTransfer transfer)
    {
        IsTargets = true;
        Transfers.Add(transfer);
    }
}
