using System.Runtime.InteropServices;

namespace Poolscope.PerfEvents.Linux;

/// <content>Error numbers.</content>
internal static unsafe partial class Libc
{
    /// <summary>Values of errno on Linux (asm-generic/errno-base.h) on which a message or an action depends.</summary>
    internal static class Errno
    {
        internal const int Eperm = 1;
        internal const int Esrch = 3;
        internal const int Eacces = 13;
        internal const int Emfile = 24;
        internal const int Enosys = 38;

        /// <summary>Formats an errno, such as "EACCES (13, Permission denied)".</summary>
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
