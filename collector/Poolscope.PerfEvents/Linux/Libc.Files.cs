using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Poolscope.PerfEvents.Linux;

/// <content>Files, pipes and their owners.</content>
internal static unsafe partial class Libc
{
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int SetDescriptorFlags = 2; // F_SETFD
    private const int DescriptorCloseOnExec = 1; // FD_CLOEXEC
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const uint Links = 4; // STATX_NLINK
    private const uint Owner = 8; // STATX_UID
    private const int CurrentFolder = -100; // AT_FDCWD
    private const uint SyncFileRangeWrite = 2; // SYNC_FILE_RANGE_WRITE
    private const int StatxBytes = 256;
    private const int OwnerOffset = 20; // stx_uid

    private static bool s_hasStatx = true;

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    internal static partial nint Read(int fd, void* buffer, nuint count);

    /// <returns>Bytes read, or -1.</returns>
    [LibraryImport("libc", EntryPoint = "pread")]
    internal static partial nint ReadAt(int fd, byte* buffer, nuint bytes, long offset);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    internal static partial nint Write(int fd, void* buffer, nuint count);

    /// <summary>Begins to write a part of a file to its disk, without waiting. Does nothing if that is
    /// impossible.</summary>
    internal static void BeginWriteBack(SafeFileHandle file, long offset, long bytes)
    {
        try
        {
            _ = SyncFileRange(file, offset, bytes, SyncFileRangeWrite);
        }
        catch (EntryPointNotFoundException)
        {
            // The C library lacks it (musl on some architectures): the kernel decides when to write.
        }
    }

    /// <summary>Copies a part of a file to another one without reading it.</summary>
    /// <returns>Number of bytes copied; 0 or less: nothing was copied, and another way may work.</returns>
    internal static long CopyRange(SafeFileHandle from, long fromOffset, SafeFileHandle to, long toOffset, long bytes)
    {
        try
        {
            return CopyFileRange(from, &fromOffset, to, &toOffset, (nuint)bytes, 0);
        }
        catch (EntryPointNotFoundException)
        {
            return -1; // glibc before 2.27
        }
    }

    [LibraryImport("libc", EntryPoint = "copy_file_range", SetLastError = true)]
    private static partial nint CopyFileRange(SafeFileHandle from, long* fromOffset, SafeFileHandle to, long* toOffset, nuint bytes, uint flags);

    [LibraryImport("libc", EntryPoint = "sync_file_range")]
    private static partial int SyncFileRange(SafeFileHandle file, long offset, long bytes, uint flags);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    internal static partial int Close(int fd);

    /// <returns>A file descriptor that no child inherits, or -1.</returns>
    internal static int OpenToRead(string path) => Open(path, CloseOnExec); // O_RDONLY is 0

    /// <summary>Opens a pipe whose ends no child inherits.</summary>
    /// <param name="ends">Receives the reading and the writing end.</param>
    internal static int OpenPipe(int* ends) => Pipe(ends, CloseOnExec);

    /// <summary>Sets whether children started from now on inherit a file descriptor.</summary>
    internal static void SetInherited(int fd, bool inherited) => _ = Control(fd, SetDescriptorFlags, inherited ? 0 : DescriptorCloseOnExec);

    [LibraryImport("libc", EntryPoint = "mount", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Mount(string source, string target, string type, nuint flags, nint data);

    /// <summary>Sets the permission bits that new files of this process do not get.</summary>
    /// <returns>The previous bits.</returns>
    [LibraryImport("libc", EntryPoint = "umask")]
    internal static partial uint SetUmask(uint bits);

    /// <summary>Makes a user the owner of a file, if this user may. It changes a link itself, not its target.</summary>
    /// <param name="group">-1: the group stays.</param>
    internal static void GiveTo(string path, int user, int group = -1) => _ = ChangeOwner(path, user, group);

    /// <summary>Reads the number of links of an open file into a struct statx.</summary>
    /// <param name="statx">A buffer of 256 bytes.</param>
    /// <returns>False if the file is gone, or the C library has no statx.</returns>
    internal static bool TryStatLinks(int fd, byte* statx)
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

    /// <returns>User id of a file's owner; null if there is no such file, or the C library has no statx.</returns>
    internal static int? OwnerOf(string path)
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

    [LibraryImport("libc", EntryPoint = "open", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "pipe2", SetLastError = true)]
    private static partial int Pipe(int* ends, int flags);

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int Control(int fd, int command, int argument);

    [LibraryImport("libc", EntryPoint = "lchown", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ChangeOwner(string path, int user, int group);

    [LibraryImport("libc", EntryPoint = "statx")]
    private static partial int Statx(int folder, byte* path, int flags, uint mask, byte* statx);
}
