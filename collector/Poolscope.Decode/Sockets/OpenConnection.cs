using System.Globalization;
using System.Net;
using Poolscope.KernelEvents;

namespace Poolscope.Decode.Sockets;

/// <summary>A connection of the target that was open just after the recording of sockets began.</summary>
/// <param name="Time">The time at which the collector listed it, CLOCK_MONOTONIC ns.</param>
/// <param name="Accepted">Whether the connection came to a port on which the target listens; false if the target opened
/// it.</param>
/// <param name="Unread">Bytes not yet read.</param>
public readonly record struct OpenConnection(long Time, bool Accepted, SocketEndpoints Endpoints, long Unread)
{
    private const string AcceptedWord = "accepted";
    private const string ConnectedWord = "connected";
    private const int Columns = 5;

    /// <summary>Parses a line of connections.csv.</summary>
    /// <returns>The connection; null for the header, a line truncated by a killed collector, or impossible
    /// values.</returns>
    public static OpenConnection? Parse(string line)
    {
        ArgumentNullException.ThrowIfNull(line);
        var fields = line.Split(',');
        return fields.Length == Columns && Number(fields[0], out var time) && (fields[1] is AcceptedWord or ConnectedWord)
            && IPEndPoint.TryParse(fields[2], out var local) && IPEndPoint.TryParse(fields[3], out var remote) && Number(fields[4], out var unread)
            ? new OpenConnection(time, fields[1] == AcceptedWord, new SocketEndpoints(local, remote), unread)
            : null;
    }

    /// <summary>Formats the line of connections.csv.</summary>
    public string ToLine() => string.Create(
        CultureInfo.InvariantCulture, $"{Time},{(Accepted ? AcceptedWord : ConnectedWord)},{Endpoints.Local},{Endpoints.Remote},{Unread}");

    private static bool Number(string text, out long number) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number);
}
