using System.Globalization;
using System.Net;
using Poolscope.KernelEvents;

namespace Poolscope.Decode.Sockets;

/// <summary>A TCP connection of the target that was open when the recording of sockets had just begun.</summary>
/// <param name="Time">When the collector looked, CLOCK_MONOTONIC ns.</param>
/// <param name="Accepted">It came to a port at which the target listens; false: the target had asked for it.</param>
/// <param name="Unread">Bytes that lay in it unread.</param>
public readonly record struct OpenConnection(long Time, bool Accepted, SocketEndpoints Endpoints, long Unread)
{
    private const string AcceptedWord = "accepted";
    private const string ConnectedWord = "connected";
    private const int Columns = 5;

    /// <summary>Reads a line of connections.csv.</summary>
    /// <returns>Null: the header, the last line of a collector that was killed, or a reading that cannot be.</returns>
    public static OpenConnection? Parse(string line)
    {
        ArgumentNullException.ThrowIfNull(line);
        var fields = line.Split(',');
        return fields.Length == Columns && Number(fields[0], out var time) && (fields[1] is AcceptedWord or ConnectedWord)
            && IPEndPoint.TryParse(fields[2], out var local) && IPEndPoint.TryParse(fields[3], out var remote) && Number(fields[4], out var unread)
            ? new OpenConnection(time, fields[1] == AcceptedWord, new SocketEndpoints(local, remote), unread)
            : null;
    }

    /// <summary>The line of connections.csv.</summary>
    public string ToLine() => string.Create(
        CultureInfo.InvariantCulture, $"{Time},{(Accepted ? AcceptedWord : ConnectedWord)},{Endpoints.Local},{Endpoints.Remote},{Unread}");

    private static bool Number(string text, out long number) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
