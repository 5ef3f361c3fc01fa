using Poolscope.Decode.Captures;
using Poolscope.Decode.Sockets;

namespace Poolscope.Decode.Readings;

/// <summary>The target's connections that were open when the recording of sockets had just begun, as the collector saw them.</summary>
public static class ConnectionsStream
{
    /// <summary>In the capture's folder, with a header line; the columns are <see cref="Header"/>.</summary>
    public const string FileName = "connections.csv";

    public const string Header = "time_ns,side,local,remote,unread";

    /// <returns>None if the capture has no such file.</returns>
    internal static IReadOnlyList<OpenConnection> Read(Capture capture, IProgress<string>? progress) =>
        PolledFile.Read(capture, FileName, Header, OpenConnection.Parse, connection => connection.Time, progress) ?? [];
}
