using System.Net;
using Poolscope.Decode.Sockets;
using Poolscope.KernelEvents;

namespace Poolscope.Collect.Processes;

/// <summary>The TCP connections of a process, and those that wait until it accepts them, as the kernel lists them for
/// its network namespace.</summary>
internal static class OpenConnections
{
    /// <summary>Reads the connections. A connection that waits to be accepted is included only if no other process
    /// listens at its address.</summary>
    /// <param name="time">The time given to each connection, in CLOCK_MONOTONIC ns.</param>
    public static IReadOnlyList<OpenConnection> Read(ProcFs proc, int pid, long time)
    {
        var rows = (proc.SharesNetwork(pid) ? TcpDiagnosis.Read() : null) ?? TcpFiles.Read(proc, pid);
        var own = proc.SocketsOf(pid);
        var ports = rows.Where(row => row.State == TcpState.Listen).ToLookup(row => row.Ends.Local.Port);
        var found = new List<OpenConnection>();
        foreach (var row in rows.Where(row => row.State is TcpState.Established or TcpState.CloseWait))
        {
            var isOwn = own.Contains(row.Inode);
            var listeners = ports[row.Ends.Local.Port].Where(listener => Takes(listener.Ends.Local.Address, row.Ends.Local.Address)).ToList();
            var comes = listeners.Any(listener => own.Contains(listener.Inode));
            if (isOwn || (row.Inode == TcpRow.NoInode && comes && listeners.TrueForAll(listener => own.Contains(listener.Inode))))
            {
                found.Add(new OpenConnection(time, comes, row.Ends, row.Unread));
            }
        }

        return found;
    }

    private static bool Takes(IPAddress listener, IPAddress address) =>
        listener.Equals(address) || listener.Equals(IPAddress.Any) || listener.Equals(IPAddress.IPv6Any);
}
