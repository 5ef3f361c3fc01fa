using System.Globalization;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Recording;

/// <summary>The user who typed `sudo poolscope-collect`: the capture is his, or he could not read it.</summary>
/// <param name="User">Not root.</param>
internal readonly record struct Invoker(int User, int Group)
{
    /// <returns>Null: this process is not root, or root himself started it; Windows has no sudo of this kind.</returns>
    public static Invoker? Find() => OperatingSystem.IsWindows() ? null : Find(
        Libc.EffectiveUserId(), Environment.GetEnvironmentVariable("SUDO_UID"), Environment.GetEnvironmentVariable("SUDO_GID"));

    internal static Invoker? Find(uint self, string? user, string? group) =>
        self == 0 && Id(user) is { } uid and > 0 && Id(group) is { } gid ? new Invoker(uid, gid) : null;

    /// <summary>Makes him the owner of a folder and of all that is in it.</summary>
    public void Own(string folder)
    {
        foreach (var path in Directory.EnumerateFileSystemEntries(folder, "*", new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint }))
        {
            Libc.GiveTo(path, User, Group);
        }

        Libc.GiveTo(folder, User, Group);
    }

    /// <summary>Becomes him for good: what the kernel gave is open, and a process of his own answers him too. Only where he
    /// reaches the capture and this program, whose parts are loaded when they are needed.</summary>
    /// <param name="folder">Of the capture.</param>
    /// <returns>False: it is still root's process.</returns>
    public bool TryBecome(string folder)
    {
        var needed = new[] { folder, AppContext.BaseDirectory, Path.GetDirectoryName(typeof(object).Assembly.Location) ?? "/" };
        return needed.All(Reaches) && Libc.BecomeUser(User, Group);
    }

    /// <summary>Whether he may pass every folder on the way to one, and that one.</summary>
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
