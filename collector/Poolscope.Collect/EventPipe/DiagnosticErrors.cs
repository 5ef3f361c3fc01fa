using System.Net.Sockets;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.EventPipe;

internal static class DiagnosticErrors
{
    /// <summary>Returns the error for a process that opened no session. If the process has ended meanwhile, the
    /// original error is about its socket, which means nothing to the user.</summary>
    public static CommandException NoSession(int pid, Exception e) => new(
        ExitCode.Unreadable,
        ProcFs.System.IsAlive(pid) ? $"process {pid} opened no event session: {e.Message}" : $"process {pid} ended before Poolscope could record it",
        e);

    /// <summary>Returns whether an error comes from a runtime that is gone, stuck or unwilling. Any other error is a
    /// bug of this tool.</summary>
    public static bool IsExpected(Exception e) => e is DiagnosticsClientException or IOException or SocketException
        or TimeoutException or UnauthorizedAccessException or OperationCanceledException or ObjectDisposedException;
}
