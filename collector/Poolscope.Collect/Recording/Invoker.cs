using System.Globalization;
using Poolscope.Collect.Processes;

namespace Poolscope.Collect.Recording;

/// <summary>The user who typed `sudo poolscope-collect`: the capture is his, or he could not read it.</summary>
/// <param name="User">Not root.</param>
internal readonly record struct Invoker(int User, int Group)
{
    /// <returns>Null: this process is not root, or root himself started it.</returns>
    public static Invoker? Find() => Find(
        LibC.EffectiveUserId(), Environment.GetEnvironmentVariable("SUDO_UID"), Environment.GetEnvironmentVariable("SUDO_GID"));

    internal static Invoker? Find(uint self, string? user, string? group) =>
        self == 0 && Id(user) is { } uid and > 0 && Id(group) is { } gid ? new Invoker(uid, gid) : null;

    /// <summary>Makes him the owner of a folder and of all that is in it.</summary>
    public void Own(string folder)
    {
        foreach (var path in Directory.EnumerateFileSystemEntries(folder, "*", new EnumerationOptions { RecurseSubdirectories = true, AttributesToSkip = FileAttributes.ReparsePoint }))
        {
            LibC.GiveTo(path, User, Group);
        }

        LibC.GiveTo(folder, User, Group);
    }

    /// <summary>Becomes him for good: what the kernel gave is open, and a process of his own answers him too.</summary>
    /// <returns>False: the kernel refused, and nothing has changed.</returns>
    public bool Become() => LibC.BecomeUser(User, Group);

    private static int? Id(string? text) => int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var id) ? id : null;
}
