namespace Poolscope.Decode.Stacks;

/// <summary>Distinguishes paths on this machine from others. A path from a capture is untrusted: if it names a server,
/// opening it would make this machine log on there.</summary>
internal static class LocalPath
{
    /// <summary>Returns whether a path is rooted on a disk of this machine: not a share (`\\\\server`, `//server`), not
    /// a device (`\\\\.\\`, `\\\\?\\`, `/dev`), not relative.</summary>
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

    // Automounters on Linux put other machines' disks under /net.
    private static bool IsUnder(string path, string folder) => path.StartsWith(folder + "/", StringComparison.Ordinal);
}
