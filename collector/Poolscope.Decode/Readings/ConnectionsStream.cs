using Poolscope.Decode.Captures;
using Poolscope.Decode.Sockets;

namespace Poolscope.Decode.Readings;

/// <summary>The target's open connections just after the recording of sockets began, as the collector listed
/// them.</summary>
public static class ConnectionsStream
{
    /// <summary>File name in the capture folder. The first line is <see cref="Header"/>.</summary>
    public const string FileName = "connections.csv";

    public const string Header = "time_ns,side,local,remote,unread";

    /// <returns>The connections; empty if the capture has no such file.</returns>
    internal static IReadOnlyList<OpenConnection> Read(Capture capture, IProgress<string>? progress) =>
        PolledFile.Read(capture, FileName, Header, OpenConnection.Parse, connection => connection.Time, progress) ?? [];
}
