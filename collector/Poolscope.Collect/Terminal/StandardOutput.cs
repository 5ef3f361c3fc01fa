using System.Runtime.InteropServices;

namespace Poolscope.Collect.Terminal;

/// <summary>Checks the reader of stdout.</summary>
internal static partial class StandardOutput
{
    private const int Fd = 1;
    private const short PollErr = 8;

    /// <summary>Whether stdout is a pipe without a reader, as after `| head`. .NET does not report that.</summary>
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
