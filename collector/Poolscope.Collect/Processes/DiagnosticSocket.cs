using System.Globalization;

namespace Poolscope.Collect.Processes;

/// <summary>The Unix socket on which a .NET process takes diagnostic commands:
/// $TMPDIR/dotnet-diagnostic-PID-STARTTIME-socket, in the process's own file system and with the pid that the process
/// itself sees.</summary>
internal static class DiagnosticSocket
{
    /// <returns>The path, or null if the process has no socket, or none that this user may see.</returns>
    public static string? Find(ProcFs proc, int pid)
    {
        // A kernel thread has no command line. Any other process may be .NET: a Native AOT program shows no runtime
        // library.
        if (proc.CommandLine(pid).Count == 0)
        {
            return null;
        }

        var folder = Folder(proc, pid);

        // A socket outlives a process that was killed, and any other process may get that pid. The start in the name,
        // in clock ticks, distinguishes them. A time namespace shifts the start, so there any start matches.
        var start = proc.SharesTimeWith(pid) && proc.StartTicks(pid) is { } ticks ? ticks.ToString(CultureInfo.InvariantCulture) : "*";
        var pattern = $"dotnet-diagnostic-{proc.NamespacePid(pid)}-{start}-socket";

        // /proc/PID/root also shows a container's folder, but is closed to other users. The plain path is not.
        return Newest(proc.PathOf(pid, "root") + folder, pattern) ?? Newest(proc.PathOf(folder), pattern);
    }

    /// <summary>Returns the folder of the socket, in the process's own file system.</summary>
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
