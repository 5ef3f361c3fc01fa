using System.Runtime.InteropServices;

namespace Zoo.Running;

/// <summary>The CPU time of the calling thread, so that a computation costs the same on a busy machine.</summary>
internal static class ThreadClock
{
    private const int ThreadCpuTime = 3;

    /// <summary>Gets the CPU time in milliseconds.</summary>
    public static double NowMs
    {
        get
        {
            _ = clock_gettime(ThreadCpuTime, out var time);
            return time.Seconds * 1e3 + time.Nanoseconds / 1e6;
        }
    }

    [DllImport("libc")]
    private static extern int clock_gettime(int clock, out Timespec time);

    [StructLayout(LayoutKind.Sequential)]
    private struct Timespec
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
