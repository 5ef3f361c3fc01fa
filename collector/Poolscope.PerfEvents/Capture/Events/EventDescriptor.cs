using System.Runtime.InteropServices;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>An open event, on as many file descriptors as it needs.</summary>
internal interface IOpenEvent : IDisposable
{
    /// <summary>Returns the event's attribute and ids, for the recording's file.</summary>
    RecordedEvent ToRecordedEvent();

    void Enable();

    void Disable();

    /// <summary>Returns the number of a CPU's records that found no room so far.</summary>
    long Lost(int cpu);
}

/// <summary>Reads and controls one event's file descriptor.</summary>
internal static unsafe class EventDescriptor
{
    /// <summary>Returns how often the event happened, recorded or not, and how many records found no room.</summary>
    internal static (long Value, long Lost) Read(int fd)
    {
        const int fields = 3; // value, id, lost: ReadFields.Id | ReadFields.Lost
        var answer = stackalloc long[fields];
        return Libc.Read(fd, answer, fields * sizeof(long)) == fields * sizeof(long) ? (answer[0], answer[2]) : default;
    }

    /// <summary>Returns the identifier in the event's records.</summary>
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
