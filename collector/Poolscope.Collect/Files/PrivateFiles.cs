using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Files;

/// <summary>Everything that this program writes is for its user alone: files 0600, folders 0700, whatever umask the shell set.
/// A capture lists every process of the machine.</summary>
internal static class PrivateFiles
{
    private const UnixFileMode Folder = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    private const uint NobodyElse = 0b000_111_111;

    private static uint? s_ofTheShell;

    /// <summary>Holds for every file made from now on.</summary>
    public static void Begin() => s_ofTheShell = Libc.SetUmask(NobodyElse);

    /// <summary>Makes a folder, or shuts one that is there: its files may be opened to others by a default ACL, which comes before
    /// any umask.</summary>
    public static void CreateFolder(string path)
    {
        Directory.CreateDirectory(path);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(path, Folder);
        }
    }

    /// <summary>Makes a file that is not there yet. One that is, a link among them, is never written through.</summary>
    /// <exception cref="IOException">It is there, or cannot be made.</exception>
    public static FileStream CreateNew(string path) => new(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0);

    /// <summary>A new text file, each line written as it comes: what is in it survives a collector that is killed.</summary>
    /// <exception cref="IOException">It is there, or cannot be made.</exception>
    public static StreamWriter CreateText(string path) => new(CreateNew(path)) { AutoFlush = true, NewLine = "\n" };

    /// <summary>A path in a folder for a file that is to be renamed when it is complete.</summary>
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
