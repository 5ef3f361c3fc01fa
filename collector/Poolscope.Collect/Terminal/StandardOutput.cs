using System.Runtime.InteropServices;

namespace Poolscope.Collect.Terminal;

/// <summary>Who reads stdout.</summary>
internal static partial class StandardOutput
{
    private const int Fd = 1;
    private const short PollErr = 8;

    /// <summary>It is a pipe that nothing reads any more, as behind `| head`. .NET's console does not say so.</summary>
    public static bool IsAbandoned
    {
        get
        {
            var file = new PollFd { Descriptor = Fd };
            return OperatingSystem.IsLinux() && Poll(ref file, 1, 0) == 1 && (file.Happened & PollErr) != 0;
        }
    }

    [LibraryImport("libc", EntryPoint = "poll")]
    private static partial int Poll(ref PollFd file, nuint count, int timeoutMilliseconds);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollFd
    {
        public int Descriptor;
        public short Wanted;
        public short Happened;
    }
}
