namespace Poolscope.Decode.Stacks;

/// <summary>Tells paths of files of this machine from others. A path from a capture may come from anybody, and one that names
/// a server would have the reader's machine log on to it.</summary>
internal static class LocalPath
{
    /// <summary>Whether a path is rooted on a disk of this machine: no share (`\\\\server`, `//server`), no device
    /// (`\\\\.\\`, `\\\\?\\`, `/dev`), nothing relative.</summary>
    public static bool Is(string path) => Is(path, OperatingSystem.IsWindows());

    internal static bool Is(string path, bool windows)
    {
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            return false;
        }

        return windows
            ? path.Length > 3 && char.IsAsciiLetter(path[0]) && path[1] == ':' && path[2] is '\\' or '/' && !path[2..].Contains(':', StringComparison.Ordinal)
            : path.StartsWith('/') && !path.StartsWith("//", StringComparison.Ordinal) && !IsUnder(path, "/dev") && !IsUnder(path, "/proc") && !IsUnder(path, "/net");
    }

    // Automounters of Linux keep other machines' disks under /net.
    private static bool IsUnder(string path, string folder) => path.StartsWith(folder + "/", StringComparison.Ordinal);
}
