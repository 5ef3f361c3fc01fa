using System.Runtime.InteropServices;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Capture;

/// <summary>The system calls that a recording needs. Functions return -1 on failure and leave errno in
/// <see cref="Marshal.GetLastPInvokeError"/>.</summary>
internal static unsafe partial class Libc
{
    internal const int ProtRead = 1;
    internal const int ProtWrite = 2;
    internal const int MapShared = 1;
    internal const short PollIn = 1;
    internal const short PollHup = 0x10;

    private const int ThreadCpuClock = 3; // CLOCK_THREAD_CPUTIME_ID

    private const ulong CloseOnExec = 8; // PERF_FLAG_FD_CLOEXEC

    /// <summary>Number of perf_event_open; -1 on an architecture that this program was never compiled against.</summary>
    private static nint PerfEventOpenNumber => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 298,
        Architecture.Arm64 => 241,
        _ => -1,
    };

    /// <summary>Opens an event on one CPU.</summary>
    /// <param name="tid">Of this thread; -1: of all processes.</param>
    internal static int PerfEventOpen(in PerfEventAttr attr, int tid, int cpu)
    {
        fixed (PerfEventAttr* pointer = &attr)
        {
            return (int)Syscall(PerfEventOpenNumber, pointer, tid, cpu, -1, CloseOnExec);
        }
    }

    // syscall and ioctl are variadic; on Linux x64 and arm64 integers are passed to those as to any other function.
    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    private static partial nint Syscall(nint number, PerfEventAttr* attr, nint pid, nint cpu, nint group, ulong flags);

    [LibraryImport("libc", EntryPoint = "ioctl", SetLastError = true)]
    internal static partial int Ioctl(int fd, nuint request, nint argument);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    internal static partial byte* Mmap(nint address, nuint length, int protection, int flags, int fd, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    internal static partial int Munmap(byte* address, nuint length);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    internal static partial int Poll(PollFd* fds, nuint count, int timeoutMilliseconds);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    internal static partial nint Read(int fd, void* buffer, nuint count);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    internal static partial nint Write(int fd, void* buffer, nuint count);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    internal static partial int Close(int fd);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    internal static partial int EventFd(uint initial, int flags);

    [LibraryImport("libc", EntryPoint = "mount", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Mount(string source, string target, string type, nuint flags, nint data);

    /// <summary>0 for the calling thread.</summary>
    [LibraryImport("libc", EntryPoint = "sched_setaffinity", SetLastError = true)]
    internal static partial int SetAffinity(int tid, nuint maskBytes, ulong* mask);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    internal static partial uint EffectiveUser();

    /// <summary>CPU time that the calling thread has used, ns.</summary>
    internal static long ThreadCpuNs()
    {
        var time = stackalloc long[2]; // struct timespec: seconds, nanoseconds
        return ClockGetTime(ThreadCpuClock, time) == 0 ? (time[0] * 1_000_000_000) + time[1] : 0;
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime", SetLastError = true)]
    private static partial int ClockGetTime(int clock, long* time);

    [StructLayout(LayoutKind.Sequential)]
    internal struct PollFd
    {
        internal int Fd;
        internal short Events;
        internal short Revents;
    }

    /// <summary>perf's ioctls, as encoded on x86 and arm64.</summary>
    internal static class PerfIoctl
    {
        internal const nuint Enable = 0x2400;
        internal const nuint Disable = 0x2401;
        internal const nuint SetOutput = 0x2405;
        internal const nuint SetFilter = 0x40082406;
        internal const nuint Id = 0x80082407;
    }

    /// <summary>Values of errno on Linux (asm-generic/errno-base.h) that decide what is said or done.</summary>
    internal static class Errno
    {
        internal const int Eperm = 1;
        internal const int Esrch = 3;
        internal const int Eintr = 4;
        internal const int Eacces = 13;
        internal const int Emfile = 24;
        internal const int Enosys = 38;

        /// <summary>"EACCES (13, Permission denied)".</summary>
        internal static string Describe(int errno)
        {
            var name = errno switch
            {
                Eperm => "EPERM",
                Esrch => "ESRCH",
                Eacces => "EACCES",
                Emfile => "EMFILE",
                Enosys => "ENOSYS",
                22 => "EINVAL",
                2 => "ENOENT",
                _ => "errno",
            };
            return $"{name} ({errno}, {Marshal.GetPInvokeErrorMessage(errno)})";
        }
    }
}
