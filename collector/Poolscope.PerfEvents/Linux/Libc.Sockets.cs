using System.Runtime.InteropServices;

namespace Poolscope.PerfEvents.Linux;

/// <content>Sockets of the kernel's own services.</content>
internal static unsafe partial class Libc
{
    private const int Netlink = 16; // AF_NETLINK
    private const int Raw = 3; // SOCK_RAW
    private const int SocketDiagnosis = 4; // NETLINK_SOCK_DIAG

    /// <summary>Opens a socket on which the kernel answers queries about sockets (sock_diag(7)).</summary>
    /// <returns>A file descriptor that no child inherits, or -1.</returns>
    internal static int OpenSocketDiagnosis() => Socket(Netlink, Raw | CloseOnExec, SocketDiagnosis);

    [LibraryImport("libc", EntryPoint = "socket", SetLastError = true)]
    private static partial int Socket(int domain, int type, int protocol);
}
