using System.Runtime.InteropServices;

namespace Poolscope.Collect.Processes;

internal static partial class LibC
{
    public const int SigInt = 2;
    public const int SigKill = 9;
    public const int SigTerm = 15;

    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial uint EffectiveUserId();

    /// <returns>0, or -1 when the process is gone or not ours.</returns>
    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    public static partial int Kill(int pid, int signal);
}
