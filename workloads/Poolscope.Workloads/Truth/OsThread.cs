using System.Runtime.InteropServices;

namespace Poolscope.Workloads.Truth;

/// <summary>The operating system's id of the current thread, which trace events and perf call tid.</summary>
public static partial class OsThread
{
    /// <summary>Stands for an unknown id: the system is neither Linux on x64 or arm64 nor Windows.</summary>
    public const int Unknown = -1;

    // gettid's system call numbers, from the kernel's arch/x86/entry/syscalls/syscall_64.tbl and
    // include/uapi/asm-generic/unistd.h. The libc function of that name is missing before glibc 2.30.
    private const nint GetTidX64 = 186;
    private const nint GetTidArm64 = 178;

    [ThreadStatic]
    private static int t_id;

    /// <summary>The current thread's id, queried once per thread; <see cref="Unknown"/> if the system has no
    /// query.</summary>
    public static int CurrentId => t_id != 0 ? t_id : t_id = Ask();

    private static int Ask()
    {
        if (OperatingSystem.IsWindows())
        {
            return (int)GetCurrentThreadId();
        }

        return OperatingSystem.IsLinux() ? RuntimeInformation.ProcessArchitecture switch
        {
            Architecture.X64 => (int)SystemCall(GetTidX64),
            Architecture.Arm64 => (int)SystemCall(GetTidArm64),
            _ => Unknown,
        } : Unknown;
    }

    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint SystemCall(nint number);

    [LibraryImport("kernel32")]
    private static partial uint GetCurrentThreadId();
}
