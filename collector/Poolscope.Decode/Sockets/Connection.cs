using Poolscope.KernelEvents;

namespace Poolscope.Decode.Sockets;

/// <summary>How a connection began, as `sockets.role` numbers it.</summary>
internal enum SocketRole : byte
{
    /// <summary>It was open before the recording, or its beginning was not reported.</summary>
    Unknown,

    /// <summary>Somebody else connected to the target.</summary>
    Accepted,

    /// <summary>The target connected to something else.</summary>
    Connected,
}

/// <summary>As `socket_io.direction` numbers it.</summary>
internal enum SocketDirection : byte
{
    Arrived,
    Read,
    Sent,

    /// <summary>The other end has sent its last byte.</summary>
    Ended,

    /// <summary>A thread was told so.</summary>
    EndRead,

    /// <summary>A thread asked for the connection.</summary>
    Connecting,

    /// <summary>The other end has answered that.</summary>
    Connected,

    /// <summary>A thread had data to send, and the kernel's buffer was full of what the other end has not taken.</summary>
    Full,
}

/// <param name="Tid">-1: data arrives in no thread of its own.</param>
internal readonly record struct SocketTransfer(long Time, SocketDirection Direction, int Bytes, int Tid);

/// <summary>One TCP connection of whichever process, from its first event to its last.</summary>
internal sealed class Connection
{
    internal SocketEndpoints? Endpoints { get; set; }

    internal SocketRole Role { get; set; }

    /// <summary>-1: not reported.</summary>
    internal long Opened { get; set; } = -1;

    /// <summary>When data lay in it that had arrived before the recording, ns; -1: none did, or unknown.</summary>
    internal long UnreadAt { get; set; } = -1;

    /// <summary>The other end has sent its last byte.</summary>
    internal bool HasEnded { get; set; }

    /// <summary>-1: not reported.</summary>
    internal long Closed { get; set; } = -1;

    /// <summary>A thread of the target read from it, sent to it or asked for it.</summary>
    internal bool IsTargets { get; private set; }

    /// <summary>A thread of another process did.</summary>
    internal bool IsOthers { get; set; }

    internal List<SocketTransfer> Transfers { get; } = [];

    /// <summary>Bytes that must have lain in it when the recording began: what was read before anything arrived or was sent.</summary>
    internal long UnreadBefore => Transfers.TakeWhile(t => t.Direction == SocketDirection.Read).Sum(t => (long)t.Bytes);

    /// <summary>The target had it open when the recording began.</summary>
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
