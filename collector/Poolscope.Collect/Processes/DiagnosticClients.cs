using Microsoft.Diagnostics.NETCore.Client;

namespace Poolscope.Collect.Processes;

/// <summary>Clients of a process's diagnostic socket.</summary>
internal static class DiagnosticClients
{
    /// <summary>A client that uses the socket which <see cref="DiagnosticSocket"/> finds.</summary>
    /// <remarks>The client library looks into /proc/PID/root only where the pid namespaces differ, and into the collector's own
    /// temporary folder otherwise. The target's may be another one all the same: a service with PrivateTmp, a TMPDIR of its own,
    /// a collector in a chroot.</remarks>
    /// <returns>The library's own choice if no socket is found; its errors say so.</returns>
    public static async Task<DiagnosticsClient> OfAsync(ProcFs proc, int pid)
    {
        // The library takes what follows a comma for a setting of the port.
        if (OperatingSystem.IsWindows() || DiagnosticSocket.Find(proc, pid) is not { } socket || socket.Contains(','))
        {
            return new DiagnosticsClient(pid);
        }

        // Connecting, it holds nothing that would have to be disposed of.
        var connector = await DiagnosticsClientConnector.FromDiagnosticPort($"{socket},connect", CancellationToken.None).ConfigureAwait(false);
        return connector.Instance;
    }
}
