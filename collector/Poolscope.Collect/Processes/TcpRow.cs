using Poolscope.KernelEvents;

namespace Poolscope.Collect.Processes;

/// <summary>A TCP socket of a network namespace, as the kernel lists it.</summary>
/// <param name="Unread">Bytes that lie in it unread; of one that listens, connections that wait to be accepted.</param>
/// <param name="Inode">Names the socket among the open files of its process; <see cref="NoInode"/>: it belongs to none yet, or no
/// longer.</param>
internal sealed record TcpRow(SocketEndpoints Ends, TcpState State, long Unread, string Inode)
{
    /// <summary>Of a connection that nobody has accepted yet.</summary>
    public const string NoInode = "0";

    /// <summary>Says whether sockets in a state are listed: those that were closed are not.</summary>
    public static bool IsWanted(TcpState state) => state is TcpState.Listen or TcpState.Established or TcpState.CloseWait;
}
