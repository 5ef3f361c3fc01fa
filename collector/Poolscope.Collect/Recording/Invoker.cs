using System.Globalization;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Recording;

/// <summary>The user who typed `sudo poolscope-collect`, who must own the capture to read it.</summary>
/// <param name="User">The user's id; not root's.</param>
internal readonly record struct Invoker(int User, int Group)
{
    /// <returns>Null if this process is not root, or root started it. Windows has no sudo of this kind.</returns>
    public static Invoker? Find() => OperatingSystem.IsWindows() ? null : Find(
        Libc.EffectiveUserId(), Environment.GetEnvironmentVariable("SUDO_UID"), Environment.GetEnvironmentVariable("SUDO_GID"));

    internal static Invoker? Find(uint self, string? user, string? group) =>
        self == 0 && Id(user) is { } uid and > 0 && Id(group) is { } gid ? new Invoker(uid, gid) : null;

    /// <summary>Makes the user the owner of a folder and of everything in it.</summary>
    public void Own(string folder)
    {
        foreach (var path in Directory.EnumerateFileSystemEntries(folder, "*", new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint }))
        {
            Libc.GiveTo(path, User, Group);
        }

        Libc.GiveTo(folder, User, Group);
    }

    /// <summary>Turns this process into the user's, for good: the kernel's streams are open by then, and the user's
    /// target answers the user too. It does so only if the user can reach the capture and this program, whose parts are
    /// loaded when needed.</summary>
    /// <param name="folder">The folder of the capture.</param>
    /// <returns>False if the process is still root's.</returns>
    public bool TryBecome(string folder)
    {
        var needed = new[] { folder, AppContext.BaseDirectory, Path.GetDirectoryName(typeof(object).Assembly.Location) ?? "/" };
        return needed.All(Reaches) && Libc.BecomeUser(User, Group);
    }

    /// <summary>Returns whether the user may pass a folder and every folder on the way to it.</summary>
    internal bool Reaches(string folder)
    {
        for (var at = Path.GetFullPath(folder).TrimEnd('/'); at is { Length: > 0 }; at = Path.GetDirectoryName(at))
        {
            if (OperatingSystem.IsWindows() || !Directory.Exists(at))
            {
                return false;
            }

            var pass = Libc.OwnerOf(at) == User ? UnixFileMode.UserExecute : UnixFileMode.OtherExecute;
            if (!File.GetUnixFileMode(at).HasFlag(pass))
            {
                return false;
            }
        }

        return true;
    }

    private static int? Id(string? text) => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var id) ? id : null;
}
