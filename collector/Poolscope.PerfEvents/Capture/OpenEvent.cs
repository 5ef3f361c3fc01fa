using System.Runtime.InteropServices;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Capture;

/// <summary>One event, open (and not yet enabled) on every given CPU.</summary>
internal sealed unsafe class OpenEvent : IDisposable
{
    private readonly List<int> _fds = [];

    /// <exception cref="SchedulerRefusedException">The kernel said no; nothing stays open.</exception>
    internal OpenEvent(EventRequest request, IReadOnlyList<int> cpus)
    {
        Request = request;
        try
        {
            foreach (var cpu in cpus)
            {
                Open(request, cpu);
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    internal EventRequest Request { get; }

    /// <summary>File descriptors, in the order of the CPUs.</summary>
    internal IReadOnlyList<int> Fds => _fds;

    internal RecordedEvent ToRecordedEvent() => new(Request.Name, Request.Attr, [.. _fds.Select(Id)], Request.Format);

    internal void Enable() => Control(Libc.PerfIoctl.Enable, "enable");

    internal void Disable() => Control(Libc.PerfIoctl.Disable, "disable");

    /// <summary>Records that found no room so far, on the CPU of this index.</summary>
    internal long Lost(int index)
    {
        var answer = stackalloc ulong[3]; // value, id, lost: ReadFields.Id | ReadFields.Lost
        return Libc.Read(_fds[index], answer, 3 * sizeof(ulong)) == 3 * sizeof(ulong) ? (long)answer[2] : 0;
    }

    public void Dispose()
    {
        foreach (var fd in _fds)
        {
            _ = Libc.Close(fd);
        }

        _fds.Clear();
    }

    private void Open(EventRequest request, int cpu)
    {
        var fd = Libc.PerfEventOpen(request.Attr, cpu);
        if (fd < 0)
        {
            throw Refusal.Of($"perf_event_open({request.Name}, all processes, CPU {cpu})", Marshal.GetLastPInvokeError());
        }

        _fds.Add(fd);
    }

    private ulong Id(int fd)
    {
        ulong id = 0;
        return Libc.Ioctl(fd, Libc.PerfIoctl.Id, (nint)(&id)) == 0
            ? id
            : throw Refusal.Of($"asking for the id of {Request.Name}", Marshal.GetLastPInvokeError());
    }

    private void Control(nuint request, string verb)
    {
        foreach (var fd in _fds)
        {
            if (Libc.Ioctl(fd, request, 0) != 0)
            {
                throw Refusal.Of($"ioctl({Request.Name}, {verb})", Marshal.GetLastPInvokeError());
            }
        }
    }
}
