using System.Net.Sockets;
using Poolscope.Collect.Errors;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Launch;

/// <summary>A process that is asked to be recorded while its runtime waits, at its very start, for whoever was named in
/// <see cref="StartupPort.Variable"/>. It answers commands all the same, and would be recorded doing nothing for ever.</summary>
internal sealed class SuspendedTarget
{
    /// <summary>Of the thread that every runtime starts right after it was resumed.</summary>
    private const string ThreadOfTheResumed = ".NET Finalizer";

    /// <summary>Of the thread that answers a runtime's diagnostic commands, and is there before.</summary>
    private const string ThreadOfTheWaiting = ".NET EventPipe";

    /// <summary>A runtime calls again within half a second; on a machine short of cores somewhat later.</summary>
    private static readonly TimeSpan ResumeTimeout = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

    private readonly ProcFs _proc;
    private readonly int _pid;

    private SuspendedTarget(ProcFs proc, int pid, string address, string? others) =>
        (_proc, _pid, Address, Others) = (proc, pid, address, others);

    /// <summary>Path of the port that it waits on, as it sees it.</summary>
    public string Address { get; }

    /// <summary>The ports beside it, as they stood in the variable; null: none.</summary>
    public string? Others { get; }

    /// <summary>It was launched by a poolscope-collect.</summary>
    public bool IsOurs => Path.GetFileName(Address) == StartupPort.FileName
        && Path.GetFileName(Path.GetDirectoryName(Address))?.StartsWith(StartupPort.FolderPrefix, StringComparison.Ordinal) == true;

    /// <returns>Null: it runs, or was never told to wait.</returns>
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

    /// <summary>Lets it run, in place of the collector that launched it and is gone.</summary>
    /// <exception cref="CommandException">It waits for something else, or does not go on.</exception>
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

    /// <summary>A port without `nosuspend` holds the runtime, unless the runtime listens on it itself.</summary>
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
