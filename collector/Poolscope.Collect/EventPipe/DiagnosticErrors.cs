using System.Net.Sockets;
using Microsoft.Diagnostics.NETCore.Client;

namespace Poolscope.Collect.EventPipe;

internal static class DiagnosticErrors
{
    /// <summary>What talking to a runtime that is gone, stuck or unwilling ends in; anything else is a fault of ours.</summary>
    public static bool IsExpected(Exception e) => e is DiagnosticsClientException or IOException or SocketException
        or TimeoutException or UnauthorizedAccessException or OperationCanceledException or ObjectDisposedException;
}
