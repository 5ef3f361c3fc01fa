using Poolscope.KernelEvents;

namespace Poolscope.Collect.Processes;

/// <summary>A TCP socket of a network namespace, as the kernel lists it.</summary>
/// <param name="Unread">The unread bytes in the socket. For a listening one, the connections that wait to be
/// accepted.</param>
/// <param name="Inode">The name of the socket among the open files of its process, or <see cref="NoInode"/> if it
/// belongs to none yet, or no longer.</param>
internal sealed record TcpRow(SocketEndpoints Ends, TcpState State, long Unread, string Inode)
{
    /// <summary>The inode of a connection that its process has not accepted yet.</summary>
    public const string NoInode = "0";

    /// <summary>Returns whether sockets in a state are listed. Closed ones are not.</summary>
    public static bool IsWanted(TcpState state) => state is TcpState.Listen or TcpState.Established or TcpState.CloseWait;
}
