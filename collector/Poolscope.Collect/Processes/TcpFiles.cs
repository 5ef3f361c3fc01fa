using System.Globalization;
using System.Net;
using Poolscope.KernelEvents;

namespace Poolscope.Collect.Processes;

/// <summary>Lists the TCP sockets in a process's network namespace from the text of /proc/PID/net/tcp
/// (Documentation/networking/proc_net_tcp.rst). It reads any namespace. It is slow if many connections were closed
/// lately, because the kernel writes a line for each of these too.</summary>
internal static class TcpFiles
{
    private const int LocalField = 1;
    private const int RemoteField = 2;
    private const int StateField = 3;
    private const int QueuesField = 4;
    private const int InodeField = 9;
    private const int WordBytes = 4;

    private static readonly string[] Files = ["net/tcp", "net/tcp6"];

    public static IReadOnlyList<TcpRow> Read(ProcFs proc, int pid) =>
        [.. Files.SelectMany(file => proc.ReadLines($"/proc/{pid}/{file}")).Where(IsWanted).Select(Parse).OfType<TcpRow>()];

    /// <summary>Checks the state alone: a busy server has tens of thousands of sockets closed a minute ago.</summary>
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
                && TcpRow.IsWanted((TcpState)state);
        }

        return false;
    }

    /// <returns>Null for the header, and for text that is no row.</returns>
    private static TcpRow? Parse(string line)
    {
        var fields = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return fields.Length > InodeField && End(fields[LocalField]) is { } local && End(fields[RemoteField]) is { } remote
            && int.TryParse(fields[StateField], NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var state)
            && fields[QueuesField].Split(':') is [_, var unread]
            && long.TryParse(unread, NumberStyles.HexNumber, CultureInfo.InvariantCulture, out var bytes)
            ? new TcpRow(new SocketEndpoints(local, remote), (TcpState)state, bytes, fields[InodeField])
            : null;
    }

    /// <summary>Parses an address in words of host byte order, and a port: `0100007F:1388` is 127.0.0.1:5000.</summary>
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
}
