using System.Globalization;

namespace Poolscope.Collect.Processes;

/// <summary>The Unix socket by which a .NET process takes diagnostic commands:
/// $TMPDIR/dotnet-diagnostic-PID-STARTTIME-socket, in the process's own file system and with its own idea of its pid.</summary>
internal static class DiagnosticSocket
{
    /// <returns>Null: it has none, or none that may be seen.</returns>
    public static string? Find(ProcFs proc, int pid)
    {
        // A kernel thread has no command line; all others might be .NET, a Native AOT program has no runtime library to see.
        if (proc.CommandLine(pid).Count == 0)
        {
            return null;
        }

        var folder = Folder(proc, pid);

        // A socket outlives a process that was killed, and the next one with its pid may be anything: its start distinguishes them, in clock ticks. A time namespace moves that, so there it may be any.
        var start = proc.SharesTimeWith(pid) && proc.StartTicks(pid) is { } ticks ? ticks.ToString(CultureInfo.InvariantCulture) : "*";
        var pattern = $"dotnet-diagnostic-{proc.NamespacePid(pid)}-{start}-socket";

        // Through /proc/PID/root a container's folder is found as well; it is closed to other users, the plain path is not.
        return Newest(proc.PathOf(pid, "root") + folder, pattern) ?? Newest(proc.PathOf(folder), pattern);
    }

    /// <summary>Where it is, in the process's own file system.</summary>
    public static string Folder(ProcFs proc, int pid) => proc.EnvironmentOf(pid).GetValueOrDefault("TMPDIR") is { Length: > 0 } own ? own : "/tmp";

    private static string? Newest(string folder, string pattern)
    {
        try
        {
            return Directory.EnumerateFiles(folder, pattern).OrderByDescending(File.GetLastWriteTimeUtc).FirstOrDefault();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
