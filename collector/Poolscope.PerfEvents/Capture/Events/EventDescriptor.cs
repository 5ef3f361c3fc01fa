using System.Runtime.InteropServices;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>An event that is open, on as many file descriptors as it takes.</summary>
internal interface IOpenEvent : IDisposable
{
    /// <summary>For the recording's file: attribute and ids.</summary>
    RecordedEvent ToRecordedEvent();

    void Enable();

    void Disable();

    /// <summary>Records of a CPU that found no room so far.</summary>
    long Lost(int cpu);
}

/// <summary>What can be asked of one event's file descriptor.</summary>
internal static unsafe class EventDescriptor
{
    /// <summary>How often it happened, recorded or not, and how many records found no room.</summary>
    internal static (long Value, long Lost) Read(int fd)
    {
        const int fields = 3; // value, id, lost: ReadFields.Id | ReadFields.Lost
        var answer = stackalloc long[fields];
        return Libc.Read(fd, answer, fields * sizeof(long)) == fields * sizeof(long) ? (answer[0], answer[2]) : default;
    }

    /// <summary>What its records carry as identifier.</summary>
    internal static ulong Id(int fd, string name)
    {
        ulong id = 0;
        return Libc.Ioctl(fd, Libc.PerfIoctl.Id, (nint)(&id)) == 0
            ? id
            : throw Refusal.Of($"asking for the id of {name}", Marshal.GetLastPInvokeError());
    }

    internal static void Control(int fd, nuint request, string what)
    {
        if (Libc.Ioctl(fd, request, 0) != 0)
        {
            throw Refusal.Of($"ioctl({what})", Marshal.GetLastPInvokeError());
        }
    }
}
