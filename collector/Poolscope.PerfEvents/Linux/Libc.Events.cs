using System.Runtime.InteropServices;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Linux;

/// <content>Functions that open the kernel's events and read their records.</content>
internal static unsafe partial class Libc
{
    internal const int ProtRead = 1;
    internal const int ProtWrite = 2;
    internal const int MapShared = 1;
    internal const short PollIn = 1;
    internal const short PollHup = 0x10;

    private const ulong EventCloseOnExec = 8; // PERF_FLAG_FD_CLOEXEC

    /// <summary>System call number of perf_event_open; -1 on an architecture that this program was never compiled
    /// for.</summary>
    private static nint PerfEventOpenNumber => RuntimeInformation.ProcessArchitecture switch
    {
        Architecture.X64 => 298,
        Architecture.Arm64 => 241,
        _ => -1,
    };

    /// <summary>Opens an event on one CPU.</summary>
    /// <param name="tid">The thread to record; -1: all processes.</param>
    internal static int PerfEventOpen(in PerfEventAttr attr, int tid, int cpu)
    {
        fixed (PerfEventAttr* pointer = &attr)
        {
            return (int)Syscall(PerfEventOpenNumber, pointer, tid, cpu, -1, EventCloseOnExec);
        }
    }

    // syscall and ioctl are variadic. On Linux x64 and arm64, integers are passed to them as to any other function.
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

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    internal static partial int EventFd(uint initial, int flags);

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
}
