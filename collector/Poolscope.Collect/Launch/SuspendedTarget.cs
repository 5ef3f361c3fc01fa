using System.Net.Sockets;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>A process whose runtime still waits, at its very start, for a tool named in
/// <see cref="StartupPort.Variable"/>. It answers commands all the same, and a recording would show it doing nothing
/// forever.</summary>
internal sealed class SuspendedTarget
{
    /// <summary>The name of the thread that every runtime starts right after it is resumed.</summary>
    private const string ThreadOfTheResumed = ".NET Finalizer";

    /// <summary>The name of the thread that answers diagnostic commands, which starts before that.</summary>
    private const string ThreadOfTheWaiting = ".NET EventPipe";

    /// <summary>The time to wait for a runtime's call: it calls again within half a second, on a machine short of cores
    /// somewhat later.</summary>
    private static readonly TimeSpan ResumeTimeout = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

    private readonly ProcFs _proc;
    private readonly int _pid;

    private SuspendedTarget(ProcFs proc, int pid, string address, string? others) =>
        (_proc, _pid, Address, Others) = (proc, pid, address, others);

    /// <summary>The path of the port that the process waits on, as the process sees it.</summary>
    public string Address { get; }

    /// <summary>The other ports in the variable, or null if there are none.</summary>
    public string? Others { get; }

    /// <summary>Whether a poolscope-collect launched the process.</summary>
    public bool IsOurs => Path.GetFileName(Address) == StartupPort.FileName
        && Path.GetFileName(Path.GetDirectoryName(Address))?.StartsWith(StartupPort.FolderPrefix, StringComparison.Ordinal) == true;

    /// <returns>Null if the process runs, or was never made to wait.</returns>
    public static SuspendedTarget? Find(ProcFs proc, int pid)
    {
        if (proc.EnvironmentOf(pid).GetValueOrDefault(StartupPort.Variable) is not { } ports || !Waits(proc, pid))
        {
            return null;
        }

        var all = ports.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        return all.FirstOrDefault(Suspends) is { } port
            ? new SuspendedTarget(proc, pid, port.Split(',')[0], all.Length > 1 ? string.Join(';', all.Where(one => one != port)) : null)
            : null;
    }

    /// <summary>Resumes the process in place of the collector that launched it and is gone.</summary>
    /// <exception cref="CommandException">The process waits for something else, or does not go on.</exception>
    public async Task ResumeAsync()
    {
        var folder = _proc.PathOf(_pid, "root") + Path.GetDirectoryName(Address);
        if (!IsOurs)
        {
            throw Refused($"for a diagnostic tool on {Address} ({StartupPort.Variable}): start that tool, or the process without the variable");
        }

        if (IsListened(Path.Combine(folder, StartupPort.FileName)))
        {
            throw Refused("for the poolscope-collect that launched it, which is still there: stop that one, or let it record");
        }

        try
        {
            using var port = StartupPort.Reopen(folder, Others, _proc.OwnerUid(_pid));
            for (var waited = TimeSpan.Zero; Waits(_proc, _pid); waited += Look)
            {
                if (waited >= ResumeTimeout)
                {
                    throw Refused($"on {Address}, and does not go on: end it");
                }

                await Task.Delay(Look).ConfigureAwait(false);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw Refused($"on {Address}, which cannot be opened again ({e.Message}): run as its user or as root, or end it");
        }
    }

    private CommandException Refused(string why) => new(ExitCode.Unreadable, $"process {_pid} has not begun to run: it waits {why}");

    /// <summary>Returns whether a port holds the runtime: without `nosuspend` it does, unless the runtime itself
    /// listens on it.</summary>
    private static bool Suspends(string port)
    {
        var tags = port.Split(',', StringSplitOptions.TrimEntries).Skip(1).Select(tag => tag.ToLowerInvariant()).ToHashSet();
        return !tags.Contains("nosuspend") && (tags.Contains("suspend") || !tags.Contains("listen"));
    }

    private static bool Waits(ProcFs proc, int pid)
    {
        var names = proc.ThreadsOf(pid).Select(tid => proc.ReadText($"/proc/{pid}/task/{tid}/comm")?.Trim()).ToHashSet();
        return names.Contains(ThreadOfTheWaiting) && !names.Contains(ThreadOfTheResumed);
    }

    private static bool IsListened(string address)
    {
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            socket.Connect(new UnixDomainSocketEndPoint(address));
            return true;
        }
        catch (Exception e) when (e is SocketException or ArgumentException)
        {
            return false;
        }
    }
}
