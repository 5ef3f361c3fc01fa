using System.Net.Sockets;
using Microsoft.Diagnostics.NETCore.Client;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.EventPipe;

internal static class DiagnosticErrors
{
    /// <summary>The end of a command whose process opened no session. The error of a process that ended meanwhile is about its
    /// socket, which nothing asked for.</summary>
    public static CommandException NoSession(int pid, Exception e) => new(
        ExitCode.Unreadable,
        ProcFs.System.IsAlive(pid) ? $"process {pid} opened no event session: {e.Message}" : $"process {pid} ended before Poolscope could record it",
        e);

    /// <summary>What talking to a runtime that is gone, stuck or unwilling ends in; anything else is a fault of ours.</summary>
    public static bool IsExpected(Exception e) => e is DiagnosticsClientException or IOException or SocketException
        or TimeoutException or UnauthorizedAccessException or OperationCanceledException or ObjectDisposedException;
}
