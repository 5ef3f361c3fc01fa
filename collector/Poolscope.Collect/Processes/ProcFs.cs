using System.Globalization;
using System.Text;

namespace Poolscope.Collect.Processes;

/// <summary>Reads the kernel's data about processes. Every read returns null, or nothing, for a process that is gone or
/// closed to this user: a process may end between two reads. Windows has no such data, but <see cref="IsAlive"/> works
/// there too.</summary>
/// <param name="root">The root of the file system; another folder in tests.</param>
public sealed class ProcFs(string root = "/")
{
    /// <summary>A name that no file of Windows has: a drive of Wine may show Linux's /proc, with other
    /// processes.</summary>
    private const string Nowhere = "<no /proc>";

    public static ProcFs System { get; } = new(OperatingSystem.IsWindows() ? Nowhere : "/");

    public string PathOf(string absolute) => Path.Combine(root, absolute.TrimStart('/'));

    public string PathOf(int pid, string file) => PathOf($"/proc/{pid}/{file}");

    public string? ReadText(string absolute)
    {
        try
        {
            return File.ReadAllText(PathOf(absolute));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Reads one line after the other, for files that may be long.</summary>
    public IEnumerable<string> ReadLines(string absolute)
    {
        using var reader = Open(absolute);
        for (var line = Next(); line is not null; line = Next())
        {
            yield return line;
        }

        string? Next()
        {
            try
            {
                return reader?.ReadLine();
            }
            catch (IOException)
            {
                return null; // the process ended meanwhile
            }
        }
    }

    public IEnumerable<int> Pids() => Directory.EnumerateDirectories(PathOf("/proc"))
        .Select(folder => int.TryParse(Path.GetFileName(folder), out var pid) ? pid : 0)
        .Where(pid => pid > 0);

    /// <summary>Returns the ids of a process's threads, or none if the process is gone.</summary>
    public IReadOnlyList<int> ThreadsOf(int pid)
    {
        try
        {
            return [.. Directory.EnumerateDirectories(PathOf(pid, "task"))
                .Select(folder => int.TryParse(Path.GetFileName(folder), out var tid) ? tid : 0)
                .Where(tid => tid > 0)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    /// <summary>Returns whether the process runs. A process that has ended but was not waited for does not.</summary>
    public bool IsAlive(int pid) => OperatingSystem.IsWindows()
        ? WindowsProcesses.StartTicks(pid) is not null
        : StatFields(pid) is [var state, ..] && state is not ("Z" or "X");

    /// <summary>USER_HZ, which is the same on every architecture that .NET runs on.</summary>
    public const int TicksPerSecond = 100;

    /// <summary>Returns the clock ticks since boot, including the time that the machine slept.</summary>
    public long? UptimeTicks() =>
        ReadText("/proc/uptime")?.Split(' ')[0] is { } text && decimal.TryParse(text, CultureInfo.InvariantCulture, out var seconds)
            ? (long)(seconds * TicksPerSecond)
            : null;

    /// <summary>Returns the clock ticks from boot to the start of the process (on Windows, the time of its start). A
    /// later process with the same pid has another start.</summary>
    public long? StartTicks(int pid) => OperatingSystem.IsWindows() ? WindowsProcesses.StartTicks(pid)
        : StatFields(pid) is { Length: > 19 } fields && long.TryParse(fields[19], out var ticks) ? ticks : null;

    /// <summary>Returns the clock ticks of CPU time of all threads, ended ones too, in user mode and in the
    /// kernel.</summary>
    public (long User, long System)? CpuTicks(int pid) =>
        StatFields(pid) is { Length: > 12 } fields && long.TryParse(fields[11], out var user) && long.TryParse(fields[12], out var system)
            ? (user, system)
            : null;

    public int? ParentOf(int pid) => StatFields(pid) is { Length: > 1 } fields && int.TryParse(fields[1], out var parent) ? parent : null;

    public IReadOnlyList<string> CommandLine(int pid) => ZeroTerminated($"/proc/{pid}/cmdline");

    /// <summary>Returns the environment as it was when the process started.</summary>
    public IReadOnlyDictionary<string, string> EnvironmentOf(int pid)
    {
        var variables = new Dictionary<string, string>();
        foreach (var entry in ZeroTerminated($"/proc/{pid}/environ"))
        {
            if (entry.IndexOf('=', StringComparison.Ordinal) is var at and > 0)
            {
                variables.TryAdd(entry[..at], entry[(at + 1)..]);
            }
        }

        return variables;
    }

    /// <summary>Returns a line of /proc/PID/status, without its name.</summary>
    public string? Status(int pid, string name) => Field(ReadText($"/proc/{pid}/status"), name);

    public int? OwnerUid(int pid) =>
        Status(pid, "Uid") is { } ids && int.TryParse(ids.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)[0], out var uid) ? uid : null;

    /// <returns>Null if /etc/passwd has no such user.</returns>
    public string? UserName(int uid) => ReadText("/etc/passwd")?.Split('\n')
        .Select(line => line.Split(':'))
        .FirstOrDefault(fields => fields.Length > 2 && fields[2] == uid.ToString(CultureInfo.InvariantCulture))?[0];

    /// <summary>Returns the pid in the process's innermost pid namespace, which the process itself sees.</summary>
    public int NamespacePid(int pid) => Innermost(Status(pid, "NSpid")) ?? pid;

    /// <summary>Returns the same for one of its threads, or null if the thread is gone.</summary>
    public int? NamespaceTid(int pid, int tid) => Innermost(Field(ReadText($"/proc/{pid}/task/{tid}/status"), "NSpid"));

    /// <summary>Whether this process is in a pid namespace other than the outermost one, whose inode the kernel fixes
    /// (PROC_PID_INIT_INO).</summary>
    public bool InPidNamespace => LinkTarget("self", "ns/pid") is { } own && own != "pid:[4026531836]";

    /// <summary>Returns whether a process has our clocks; true if the kernel does not show it.</summary>
    public bool SharesTimeWith(int pid) =>
        LinkTarget(pid, "ns/time") is not { } theirs || LinkTarget("self", "ns/time") is not { } ours || theirs == ours;

    /// <summary>Returns whether a process certainly shares our network, so that both see the same
    /// connections.</summary>
    public bool SharesNetwork(int pid) => LinkTarget(pid, "ns/net") is { } theirs && theirs == LinkTarget("self", "ns/net");

    /// <summary>Returns the inodes of a process's open sockets, or none if this user may not see its files.</summary>
    public IReadOnlySet<string> SocketsOf(int pid)
    {
        const string socket = "socket:[";
        try
        {
            return Directory.EnumerateFileSystemEntries(PathOf(pid, "fd"))
                .Select(file => LinkTarget(pid, $"fd/{Path.GetFileName(file)}"))
                .Where(target => target?.StartsWith(socket, StringComparison.Ordinal) ?? false)
                .Select(target => target![socket.Length..].TrimEnd(']'))
                .ToHashSet(StringComparer.Ordinal);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return new HashSet<string>();
        }
    }

    /// <summary>Returns the path of the runtime's library among the mapped files, or null if none is visible.</summary>
    public string? MappedRuntime(int pid) => ReadText($"/proc/{pid}/maps")?.Split('\n')
        .Select(line => line.IndexOf('/', StringComparison.Ordinal) is var at and >= 0 ? line[at..] : "")
        .FirstOrDefault(path => path.EndsWith("/libcoreclr.so", StringComparison.Ordinal));

    /// <summary>Returns the target of a symbolic link in /proc/PID, such as cwd or exe.</summary>
    public string? LinkTarget(int pid, string link) => LinkTarget(pid.ToString(CultureInfo.InvariantCulture), link);

    private string? LinkTarget(string process, string link)
    {
        try
        {
            return new FileInfo(PathOf($"/proc/{process}/{link}")).LinkTarget;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    internal static string? Field(string? text, string name) => text?.Split('\n')
        .Where(line => line.StartsWith(name, StringComparison.Ordinal) && line.Length > name.Length && line[name.Length] == ':')
        .Select(line => line[(name.Length + 1)..].Trim())
        .FirstOrDefault(value => value.Length > 0);

    private static int? Innermost(string? ids) =>
        ids is not null && int.TryParse(ids.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)[^1], out var inner) ? inner : null;

    /// <summary>Returns the fields of /proc/PID/stat from the third one, the state. The second is a name that may hold
    /// blanks and brackets, so they begin after the last bracket.</summary>
    private string[]? StatFields(int pid) =>
        ReadText($"/proc/{pid}/stat") is { } stat && stat.LastIndexOf(')') is var end and >= 0
            ? stat[(end + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            : null;

    private string[] ZeroTerminated(string absolute)
    {
        try
        {
            return Encoding.UTF8.GetString(File.ReadAllBytes(PathOf(absolute))).TrimEnd('\0').Split('\0') is var parts && parts is [""] ? [] : parts;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    private StreamReader? Open(string absolute)
    {
        try
        {
            return new StreamReader(PathOf(absolute), new FileStreamOptions { BufferSize = 1 << 16 });
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
