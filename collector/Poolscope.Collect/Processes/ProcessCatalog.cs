using Poolscope.Collect.Errors;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Processes;

/// <param name="Runtime">The runtime, such as ".NET 10.0.12", or null if it is unknown.</param>
public sealed record DotnetProcess(int Pid, string Name, string Command, string? Runtime);

/// <summary>Lists the .NET processes that can be recorded, and says why others cannot be.</summary>
public sealed class ProcessCatalog(ProcFs proc)
{
    private static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(1);

    /// <summary>The timeout for the process to be recorded, on a machine that may be short of cores.</summary>
    private static readonly TimeSpan PatientTimeout = TimeSpan.FromSeconds(10);

    /// <summary>Returns the other live .NET processes with a socket that this user may open, by pid.</summary>
    public async Task<IReadOnlyList<DotnetProcess>> ListAsync()
    {
        // DiagnosticsClient.GetPublishedProcesses throws as root, on the environment of a kernel thread. A socket
        // outlives a process that was killed, so this lists processes and then their sockets, not the reverse.
        var capturable = proc.Pids()
            .Where(pid => pid != Environment.ProcessId && proc.IsAlive(pid) && DiagnosticSocket.Find(proc, pid) is not null)
            .Order();
        return await Task.WhenAll(capturable.Select(DescribeAsync)).ConfigureAwait(false);
    }

    public async Task<DotnetProcess> DescribeAsync(int pid)
    {
        var command = proc.CommandLine(pid);
        return new DotnetProcess(pid, ProcessNames.Of(command), ProcessNames.Join(command), await RuntimeAsync(pid).ConfigureAwait(false));
    }

    /// <summary>Returns the version that the runtime itself reports. If it does not answer, the version is the name of
    /// its library's folder, which a self-contained program does not have.</summary>
    public async Task<string?> RuntimeAsync(int pid)
    {
        var version = DiagnosticSocket.Find(proc, pid) is { } socket
            ? await DiagnosticIpc.RuntimeVersionAsync(socket, AnswerTimeout).ConfigureAwait(false)
            : null;
        version ??= Path.GetFileName(Path.GetDirectoryName(proc.MappedRuntime(pid))) is { Length: > 0 } folder && char.IsAsciiDigit(folder[0])
            ? folder
            : null;
        return version is null ? null : $".NET {version}";
    }

    /// <exception cref="CommandException">There is no such process.</exception>
    public void RequireAlive(int pid)
    {
        if (pid <= 0 || !proc.IsAlive(pid))
        {
            throw new CommandException(ExitCode.Unreadable, $"there is no process {pid}; `poolscope ps` lists those that can be recorded");
        }
    }

    /// <exception cref="CommandException">The process cannot be captured; the message says why.</exception>
    public void RequireCapturable(int pid)
    {
        RequireAlive(pid);
        var name = ProcessNames.Of(proc.CommandLine(pid)) is { Length: > 0 } fromCommand ? fromCommand : proc.Status(pid, "Name") ?? "?";
        var user = Libc.EffectiveUserId();
        if (user != 0 && proc.OwnerUid(pid) is { } owner && owner != user)
        {
            throw new CommandException(
                ExitCode.Unreadable,
                $"process {pid} ({name}) belongs to {UserName(owner)}: run as that user or as root");
        }

        if (DiagnosticSocket.Find(proc, pid) is null)
        {
            throw proc.MappedRuntime(pid) is null
                ? new CommandException(ExitCode.Unreadable, $"process {pid} ({name}) is not a .NET process; `poolscope ps` lists those that can be recorded")
                : new CommandException(
                    ExitCode.Unreadable,
                    DiagnosticsSwitch.TurnedOffBy(proc.EnvironmentOf(pid)) is { } variable
                        ? $"process {pid} ({name}) was started with {variable}, which turns its diagnostics off: start it again without the variable to record it"
                        : $"process {pid} ({name}) runs .NET without a diagnostic socket: its temporary folder was emptied, or its diagnostics are off (DOTNET_EnableDiagnostics=0): start it again to record it");
        }
    }

    /// <exception cref="CommandException">The process does not answer.</exception>
    public async Task RequireAnswerAsync(int pid)
    {
        if (DiagnosticSocket.Find(proc, pid) is not { } socket || await DiagnosticIpc.RuntimeVersionAsync(socket, PatientTimeout).ConfigureAwait(false) is null)
        {
            throw new CommandException(
                ExitCode.Unreadable,
                $"process {pid} ({ProcessNames.Of(proc.CommandLine(pid))}) does not answer: is it stopped, held in a debugger, or older than .NET 6?");
        }
    }

    /// <exception cref="CommandException">No process has the name, or several have.</exception>
    public async Task<int> FindByNameAsync(string name)
    {
        var matches = (await ListAsync().ConfigureAwait(false)).Where(process => process.Name == name).ToList();
        return matches switch
        {
            [var one] => one.Pid,
            [] => throw new CommandException(ExitCode.Unreadable, $"no .NET process is named {name}; `poolscope ps` lists those that can be recorded"),
            _ => throw new CommandException(
                ExitCode.Unreadable,
                $"{matches.Count} processes are named {name}: choose one with -p ({string.Join(", ", matches.Select(process => process.Pid))})"),
        };
    }

    private string UserName(int uid) => proc.UserName(uid) is { } name ? $"user {name}" : $"user {uid}";
}
