using System.Runtime.InteropServices;
using System.Text;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Capture;

/// <summary>One event, open (and not yet enabled) on every given CPU.</summary>
internal sealed unsafe class OpenEvent : IDisposable
{
    private readonly List<int> _fds = [];
    private readonly IReadOnlyList<int> _cpus;

    /// <exception cref="SchedulerRefusedException">The kernel said no; nothing stays open.</exception>
    internal OpenEvent(EventRequest request, IReadOnlyList<int> cpus)
    {
        Request = request;
        _cpus = cpus;
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

    /// <summary>The file descriptor on a CPU; null: not opened there.</summary>
    internal int? Fd(int cpu)
    {
        for (var i = 0; i < _cpus.Count; i++)
        {
            if (_cpus[i] == cpu)
            {
                return _fds[i];
            }
        }

        return null;
    }

    internal RecordedEvent ToRecordedEvent() => new(Request.Name, Request.Attr, [.. _fds.Select(Id)], Request.Format);

    internal void Enable() => Control(Libc.PerfIoctl.Enable, "enable");

    internal void Disable() => Control(Libc.PerfIoctl.Disable, "disable");

    /// <summary>Lets only those hits of a tracepoint through that match, such as "prev_pid == 0".</summary>
    internal void Filter(string expression)
    {
        fixed (byte* text = Encoding.ASCII.GetBytes(expression + '\0'))
        {
            foreach (var fd in _fds)
            {
                if (Libc.Ioctl(fd, Libc.PerfIoctl.SetFilter, (nint)text) != 0)
                {
                    throw Refusal.Of($"ioctl({Request.Name}, filter)", Marshal.GetLastPInvokeError());
                }
            }
        }
    }

    /// <summary>How often it happened on a CPU, recorded or not.</summary>
    internal long Hits(int cpu) => Read(cpu).Value;

    /// <summary>Records of a CPU that found no room so far.</summary>
    internal long Lost(int cpu) => Read(cpu).Lost;

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

    private (long Value, long Lost) Read(int cpu)
    {
        const int fields = 3; // value, id, lost: ReadFields.Id | ReadFields.Lost
        var answer = stackalloc long[fields];
        return Fd(cpu) is { } fd && Libc.Read(fd, answer, fields * sizeof(long)) == fields * sizeof(long) ? (answer[0], answer[2]) : default;
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
