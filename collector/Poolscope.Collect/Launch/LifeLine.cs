using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.Collect.Launch;

/// <summary>A pipe whose writing end a command and all its descendants inherit. No process writes to it. The reader
/// sees its end when the last of them has ended, in whatever way.</summary>
internal sealed unsafe class LifeLine : IDisposable
{
    private readonly SafeFileHandle _reading;
    private readonly SafeFileHandle _writing;

    /// <exception cref="IOException">No more files may be open.</exception>
    public LifeLine()
    {
        var ends = stackalloc int[2];
        if (Libc.OpenPipe(ends) != 0)
        {
            throw new IOException($"no pipe can be opened: {Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError())}");
        }

        (_reading, _writing) = (new SafeFileHandle(ends[0], ownsHandle: true), new SafeFileHandle(ends[1], ownsHandle: true));
    }

    /// <summary>The descriptor of the reading end, also in a process that <see cref="StartReader"/> started.</summary>
    public int ReadingEnd => (int)_reading.DangerousGetHandle();

    /// <summary>Starts a process that inherits the reading end. This process closes it.</summary>
    public T StartReader<T>(Func<T> start) => Start(_reading, start);

    /// <summary>Starts a process that inherits the writing end. This process closes it.</summary>
    public T StartHolder<T>(Func<T> start) => Start(_writing, start);

    public void Dispose()
    {
        _reading.Dispose();
        _writing.Dispose();
    }

    /// <summary>Starts a process with an end of the pipe. A process started meanwhile would inherit it too.</summary>
    private static T Start<T>(SafeFileHandle end, Func<T> start)
    {
        var fd = (int)end.DangerousGetHandle();
        Libc.SetInherited(fd, inherited: true);
        try
        {
            return start();
        }
        finally
        {
            Libc.SetInherited(fd, inherited: false);
            end.Dispose();
        }
    }
}
