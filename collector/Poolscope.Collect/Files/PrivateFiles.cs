using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Files;

/// <summary>Creates files and folders that only their user can open: files 0600, folders 0700, whatever umask the shell
/// set. A capture lists every process of the machine.</summary>
internal static class PrivateFiles
{
    private const UnixFileMode Folder = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    private const uint NobodyElse = 0b000_111_111;

    private static uint? s_ofTheShell;

    /// <summary>Sets the umask of every file created from now on.</summary>
    public static void Begin() => s_ofTheShell = Libc.SetUmask(NobodyElse);

    /// <summary>Creates a folder, or closes an existing one to other users: a default ACL, which takes precedence over
    /// any umask, may open its files to them.</summary>
    public static void CreateFolder(string path)
    {
        Directory.CreateDirectory(path);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, Folder);
        }
    }

    /// <summary>Creates a new file. It never writes to an existing file or through a link.</summary>
    /// <exception cref="IOException">The file exists, or cannot be created.</exception>
    public static FileStream CreateNew(string path) => new(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0);

    /// <summary>Creates a text file that is flushed after each line, so the lines survive a killed collector.</summary>
    /// <exception cref="IOException">The file exists, or cannot be created.</exception>
    public static StreamWriter CreateText(string path) => new(CreateNew(path)) { AutoFlush = true, NewLine = "\n" };

    /// <summary>Returns a path in a folder for a file that is renamed once it is complete.</summary>
    public static string TemporaryIn(string folder) => Path.Combine(folder, "." + Path.GetRandomFileName());

    /// <summary>Starts a process with the umask that it would have without this program.</summary>
    public static T StartWithOwnUmask<T>(Func<T> start)
    {
        if (s_ofTheShell is not { } theirs)
        {
            return start();
        }

        var mine = Libc.SetUmask(theirs);
        try
        {
            return start();
        }
        finally
        {
            _ = Libc.SetUmask(mine);
        }
    }
}
