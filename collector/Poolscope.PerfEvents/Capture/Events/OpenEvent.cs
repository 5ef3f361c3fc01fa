using System.Runtime.InteropServices;
using System.Text;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture.Events;

/// <summary>One event, open (and not yet enabled) on every given CPU.</summary>
internal sealed unsafe class OpenEvent : IOpenEvent
{
    private readonly List<int> _fds = [];
    private readonly IReadOnlyList<int> _cpus;

    /// <exception cref="SchedulerRefusedException">The kernel refused. Nothing stays open.</exception>
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

    /// <summary>Returns the file descriptor on a CPU, or null if the event is not open there.</summary>
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

    public RecordedEvent ToRecordedEvent() =>
        new(Request.Name, Request.Attr, [.. _fds.Select(fd => EventDescriptor.Id(fd, Request.Name))], Request.Format);

    public void Enable() => _fds.ForEach(fd => EventDescriptor.Control(fd, Libc.PerfIoctl.Enable, $"{Request.Name}, enable"));

    public void Disable() => _fds.ForEach(fd => EventDescriptor.Control(fd, Libc.PerfIoctl.Disable, $"{Request.Name}, disable"));

    /// <summary>Passes only those hits of a tracepoint that match an expression, such as "prev_pid == 0".</summary>
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

    /// <summary>Returns how often the event happened on a CPU, recorded or not.</summary>
    internal long Hits(int cpu) => Fd(cpu) is { } fd ? EventDescriptor.Read(fd).Value : 0;

    public long Lost(int cpu) => Fd(cpu) is { } fd ? EventDescriptor.Read(fd).Lost : 0;

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
        var fd = Libc.PerfEventOpen(request.Attr, tid: -1, cpu);
        if (fd < 0)
        {
            throw Refusal.Of($"perf_event_open({request.Name}, all processes, CPU {cpu})", Marshal.GetLastPInvokeError());
        }

        _fds.Add(fd);
    }
}
