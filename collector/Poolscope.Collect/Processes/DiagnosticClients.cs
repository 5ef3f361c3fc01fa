using Microsoft.Diagnostics.NETCore.Client;

namespace Poolscope.Collect.Processes;

/// <summary>Makes clients of a process's diagnostic socket.</summary>
internal static class DiagnosticClients
{
    /// <summary>Returns a client that uses the socket that <see cref="DiagnosticSocket"/> finds.</summary>
    /// <remarks>The client library looks into /proc/PID/root only if the pid namespaces differ, and into the
    /// collector's own temporary folder otherwise. The target's folder may still be another one: a service with
    /// PrivateTmp, a TMPDIR of its own, a collector in a chroot.</remarks>
    /// <returns>A client of the library's own choice if no socket is found; its errors say so.</returns>
    public static async Task<DiagnosticsClient> OfAsync(ProcFs proc, int pid)
    {
        // The library takes the text after a comma for a setting of the port.
        if (OperatingSystem.IsWindows() || DiagnosticSocket.Find(proc, pid) is not { } socket || socket.Contains(','))
        {
            return new DiagnosticsClient(pid);
        }

        // A connector that connects holds nothing to dispose of.
        var connector = await DiagnosticsClientConnector.FromDiagnosticPort($"{socket},connect", CancellationToken.None).ConfigureAwait(false);
        return connector.Instance;
    }
}
