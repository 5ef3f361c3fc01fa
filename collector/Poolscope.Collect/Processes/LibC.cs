using System.Runtime.InteropServices;

namespace Poolscope.Collect.Processes;

internal static unsafe partial class LibC
{
    public const int SigInt = 2;
    public const int SigKill = 9;
    public const int SigTerm = 15;

    private const int CloseOnExec = 0x80000; // O_CLOEXEC, with O_RDONLY
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const uint Links = 4; // STATX_NLINK
    private const uint Owner = 8; // STATX_UID
    private const int CurrentFolder = -100; // AT_FDCWD
    private const int StatxBytes = 256;
    private const int OwnerOffset = 20; // stx_uid
    private const int ThreadCpuClock = 3; // CLOCK_THREAD_CPUTIME_ID

    private static bool s_hasStatx = true;

    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial uint EffectiveUserId();

    /// <returns>0, or -1 when the process is gone or not ours.</returns>
    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    public static partial int Kill(int pid, int signal);

    /// <summary>Sets the bits that new files of this process do not get.</summary>
    /// <returns>Those before.</returns>
    [LibraryImport("libc", EntryPoint = "umask")]
    public static partial uint SetUmask(uint bits);

    /// <summary>Makes a user the owner of a file, as far as this user may. A link itself changes, not what it leads to.</summary>
    /// <param name="group">-1: stays.</param>
    public static void GiveTo(string path, int user, int group = -1) => _ = ChangeOwner(path, user, group);

    /// <summary>Gives up root for good, in all threads: the C library sees to that.</summary>
    /// <returns>False: nothing has changed, or only the groups have.</returns>
    public static bool BecomeUser(int user, int group) =>
        SetGroups(1, &group) == 0 && SetGroup(group, group, group) == 0 && SetUser(user, user, user) == 0;

    [LibraryImport("libc", EntryPoint = "close")]
    public static partial int Close(int fd);

    /// <returns>Bytes read, or -1.</returns>
    [LibraryImport("libc", EntryPoint = "pread")]
    public static partial nint ReadAt(int fd, byte* buffer, nuint bytes, long offset);

    /// <returns>A file descriptor, or -1.</returns>
    public static int OpenToRead(string path) => Open(path, CloseOnExec);

    /// <summary>Number of links of an open file into the struct statx.</summary>
    /// <param name="statx">256 bytes.</param>
    /// <returns>False: gone, or a C library without statx.</returns>
    public static bool TryStatLinks(int fd, byte* statx)
    {
        try
        {
            byte empty = 0;
            return s_hasStatx && fd >= 0 && Statx(fd, &empty, EmptyPath, Links, statx) == 0;
        }
        catch (EntryPointNotFoundException)
        {
            return s_hasStatx = false;
        }
    }

    /// <returns>User id of a file's owner; null: no such file, or a C library without statx.</returns>
    public static int? OwnerOf(string path)
    {
        var statx = stackalloc byte[StatxBytes];
        fixed (byte* name = System.Text.Encoding.UTF8.GetBytes(path + '\0'))
        {
            try
            {
                return Statx(CurrentFolder, name, 0, Owner, statx) == 0 ? *(int*)(statx + OwnerOffset) : null;
            }
            catch (EntryPointNotFoundException)
            {
                return null;
            }
        }
    }

    /// <summary>CPU time that the calling thread has used, ns.</summary>
    public static long ThreadCpuNs()
    {
        var time = stackalloc long[2]; // struct timespec: seconds, nanoseconds
        return ClockGetTime(ThreadCpuClock, time) == 0 ? (time[0] * 1_000_000_000) + time[1] : 0;
    }

    // Variadic; on Linux x64 and arm64 integers are passed to those as to any other function.
    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "setgroups")]
    private static partial int SetGroups(nuint count, int* groups);

    [LibraryImport("libc", EntryPoint = "setresgid")]
    private static partial int SetGroup(int real, int effective, int saved);

    [LibraryImport("libc", EntryPoint = "setresuid")]
    private static partial int SetUser(int real, int effective, int saved);

    [LibraryImport("libc", EntryPoint = "lchown", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ChangeOwner(string path, int user, int group);

    [LibraryImport("libc", EntryPoint = "statx")]
    private static partial int Statx(int folder, byte* path, int flags, uint mask, byte* statx);

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int ClockGetTime(int clock, long* time);
}
