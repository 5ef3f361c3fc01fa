using System.Runtime.InteropServices;
using Poolscope.PerfEvents.Capture.Events;
using Poolscope.PerfEvents.Capture.Rings;
using Poolscope.PerfEvents.Capture.Writing;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Linux;

namespace Poolscope.PerfEvents.Capture;

/// <summary>One event on every thread of one process, open (and not yet enabled) per thread and CPU. Without one per
/// CPU, threads that the process creates later could not inherit it. Needs no privilege for a process of the same
/// user.</summary>
internal sealed class TargetEvent : IOpenEvent
{
    // A process that keeps creating threads shows new ones in every round, including threads that inherited the event.
    private const int MostRounds = 10;

    private const string How =
        "Run as the user of the process, with kernel.perf_event_paranoid at most 2 (as root: sysctl kernel.perf_event_paranoid=2); or run as root. "
        + "In a container: a seccomp profile that allows perf_event_open";

    private readonly EventRequest _request;
    private readonly IReadOnlyList<int> _cpus;
    private readonly HashSet<int> _threads = [];
    private readonly List<(int Cpu, int Fd)> _fds = [];

    /// <summary>Opens the event of the first thread, which lives as long as its process. This event will own the
    /// rings.</summary>
    /// <exception cref="SchedulerRefusedException">The kernel refused. Nothing stays open.</exception>
    internal TargetEvent(EventRequest request, int pid, IReadOnlyList<int> cpus)
    {
        (_request, _cpus) = (request, cpus);
        try
        {
            if (!Open(pid))
            {
                throw new SchedulerRefusedException($"process {pid} has ended", "");
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Returns the first thread's file descriptor on a CPU.</summary>
    internal int OwnerFd(int cpu) => _fds.First(f => f.Cpu == cpu).Fd;

    /// <summary>Opens the event of all other threads and sends their records to the rings. A thread born meanwhile may
    /// have inherited the event and may be opened again. Its switches are then reported twice, which changes no state,
    /// and it is sampled twice, which the reader undoes. All threads are covered once a listing of the process shows no
    /// unknown one.</summary>
    internal void OpenOthers(int pid, IReadOnlyList<RingBuffer> rings)
    {
        for (var round = 0; round < MostRounds; round++)
        {
            var fresh = ProcessThreads.Of(pid).Where(tid => !_threads.Contains(tid)).ToList();
            if (fresh.Count == 0)
            {
                return;
            }

            foreach (var tid in fresh)
            {
                var first = _fds.Count;
                if (Open(tid))
                {
                    for (var i = first; i < _fds.Count; i++)
                    {
                        rings.Single(r => r.Cpu == _fds[i].Cpu).Adopt(_fds[i].Fd);
                    }
                }
            }
        }
    }

    public RecordedEvent ToRecordedEvent() =>
        new(_request.Name, _request.Attr, [.. _fds.Select(f => EventDescriptor.Id(f.Fd, _request.Name))], _request.Format);

    /// <summary>Enables the event, including its inherited copies.</summary>
    public void Enable() => _fds.ForEach(f => EventDescriptor.Control(f.Fd, Libc.PerfIoctl.Enable, $"{_request.Name}, enable"));

    public void Disable() => _fds.ForEach(f => EventDescriptor.Control(f.Fd, Libc.PerfIoctl.Disable, $"{_request.Name}, disable"));

    public long Lost(int cpu) => _fds.Where(f => f.Cpu == cpu).Sum(f => EventDescriptor.Read(f.Fd).Lost);

    public void Dispose()
    {
        foreach (var (_, fd) in _fds)
        {
            _ = Libc.Close(fd);
        }

        _fds.Clear();
    }

    /// <returns>False if the thread has ended.</returns>
    private bool Open(int tid)
    {
        _threads.Add(tid);
        foreach (var cpu in _cpus)
        {
            var fd = Libc.PerfEventOpen(_request.Attr, tid, cpu);
            if (fd >= 0)
            {
                _fds.Add((cpu, fd));
                continue;
            }

            var errno = Marshal.GetLastPInvokeError();
            if (errno == Libc.Errno.Esrch)
            {
                return false;
            }

            var what = $"perf_event_open({_request.Name}, thread {tid}, CPU {cpu})";
            throw errno == Libc.Errno.Emfile
                ? Refusal.Of(what, errno, $"Raise the limit of open files (ulimit -n): one descriptor per thread and CPU is needed, {_fds.Count} were opened")
                : Refusal.Of(what, errno, How);
        }

        return true;
    }
}
