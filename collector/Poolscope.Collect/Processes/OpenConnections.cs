using System.Globalization;
using System.Net;
using Poolscope.Decode.Sockets;
using Poolscope.PerfEvents;

namespace Poolscope.Collect.Processes;

/// <summary>The TCP connections that a process has, and those that wait until it accepts them, as /proc/PID/net/tcp of its network
/// namespace tells them (Documentation/networking/proc_net_tcp.rst).</summary>
internal static class OpenConnections
{
    private const int LocalField = 1;
    private const int RemoteField = 2;
    private const int StateField = 3;
    private const int QueuesField = 4;
    private const int InodeField = 9;
    private const int WordBytes = 4;

    /// <summary>A connection that nobody has accepted yet.</summary>
    private const string NoInode = "0";

    private static readonly string[] Files = ["net/tcp", "net/tcp6"];

    /// <summary>Reads them. Of those that wait to be accepted it has the ones that came to an address at which no other process
    /// listens.</summary>
    /// <param name="time">Given to each, CLOCK_MONOTONIC ns.</param>
    public static IReadOnlyList<OpenConnection> Read(ProcFs proc, int pid, long time)
    {
        var rows = Files
            .SelectMany(file => proc.ReadLines($"/proc/{pid}/{file}"))
            .Where(IsWanted).Select(Parse).OfType<Row>().ToList();
        var own = proc.SocketsOf(pid);
        var ports = rows.Where(row => row.State == TcpState.Listen).ToLookup(row => row.Ends.Local.Port);
        var found = new List<OpenConnection>();
        foreach (var row in rows.Where(row => row.State is TcpState.Established or TcpState.CloseWait))
        {
            var isOwn = own.Contains(row.Inode);
            var listeners = ports[row.Ends.Local.Port].Where(listener => Takes(listener.Ends.Local.Address, row.Ends.Local.Address)).ToList();
            var comes = listeners.Any(listener => own.Contains(listener.Inode));
            if (isOwn || (row.Inode == NoInode && comes && listeners.TrueForAll(listener => own.Contains(listener.Inode))))
            {
                found.Add(new OpenConnection(time, comes, row.Ends, row.Unread));
            }
        }

        return found;
    }

    private static bool Takes(IPAddress listener, IPAddress address) =>
        listener.Equals(address) || listener.Equals(IPAddress.Any) || listener.Equals(IPAddress.IPv6Any);

    /// <summary>Looks at the state alone: a busy server has ten thousands of connections that were closed a minute ago.</summary>
    private static bool IsWanted(string line)
    {
        var field = 0;
        foreach (var part in line.AsSpan().Split(' '))
        {
            if (part.Start.Value == part.End.Value || field++ < StateField)
            {
                continue;
            }

            return int.TryParse(line.AsSpan(part), NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var state)
                && (TcpState)state is TcpState.Listen or TcpState.Established or TcpState.CloseWait;
        }

        return false;
    }

    /// <returns>Null: the header, or no row.</returns>
    private static Row? Parse(string line)
    {
        var fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return fields.Length > InodeField && End(fields[LocalField]) is { } local && End(fields[RemoteField]) is { } remote
            && int.TryParse(fields[StateField], NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var state)
            && fields[QueuesField].Split(':') is [_, var unread]
            && long.TryParse(unread, NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var bytes)
            ? new Row(new SocketEndpoints(local, remote), (TcpState)state, bytes, fields[InodeField])
            : null;
    }

    /// <summary>An address in words of the host's byte order, and a port: `0100007F:1388` is 127.0.0.1:5000.</summary>
    private static IPEndPoint? End(string text)
    {
        if (text.Split(':') is not [{ Length: 8 or 32 } words, var hex]
            || !int.TryParse(hex, NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var port) || port > IPEndPoint.MaxPort
            || !words.All(char.IsAsciiHexDigit))
        {
            return null;
        }

        var bytes = Convert.FromHexString(words);
        for (var at = 0; BitConverter.IsLittleEndian && at < bytes.Length; at += WordBytes)
        {
            bytes.AsSpan(at, WordBytes).Reverse();
        }

        var address = new IPAddress(bytes);
        return new IPEndPoint(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address, port);
    }

    private sealed record Row(SocketEndpoints Ends, TcpState State, long Unread, string Inode);
}
