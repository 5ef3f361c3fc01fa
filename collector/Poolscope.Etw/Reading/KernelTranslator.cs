using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Poolscope.Etw.Format;
using Poolscope.KernelEvents;

namespace Poolscope.Etw.Reading;

/// <summary>Translates the Windows kernel's events into the scheduler events that the tables are made from, so that one
/// set of rules serves both systems.</summary>
/// <param name="processName">File name of a process's image, for threads without a name of their own; null if
/// unknown.</param>
internal sealed class KernelTranslator(ISchedulerEvents sink, Func<int, string?> processName)
{
    private const int Unknown = -1;

    private readonly Dictionary<int, int> _processOf = [];
    private readonly HashSet<int> _neverReady = [];
    private readonly Dictionary<int, long> _blockedSince = [];
    private readonly List<int> _current = [];

    /// <summary>The number of switches. Without any, thread states are unknown.</summary>
    public long Switches { get; private set; }

    /// <summary>Records a thread that the recording found. The report often repeats: at the beginning, at the end, and
    /// by the tool that converted the trace. A report with less does not replace one with more.</summary>
    /// <param name="name">The thread's own name; null if it has none or it is unknown.</param>
    public void Exists(int pid, int tid, string? name)
    {
        if (_processOf.TryAdd(tid, pid) || (name is not null && _processOf[tid] == pid))
        {
            sink.ThreadName(0, pid, tid, name ?? processName(pid) ?? "");
        }
    }

    /// <param name="time">Time of the event, ns, of any clock; in order.</param>
    /// <param name="cpu">Core that wrote the event.</param>
    /// <param name="tid">Thread in the event's header, in whose name it was written; 0 or less if unknown.</param>
    /// <param name="pid">Process in the event's header; less than 0 if unknown.</param>
    /// <param name="pointerSize">Pointer size of the recording system, bytes: 4 or 8.</param>
    public void Translate(KernelEvent what, long time, int cpu, int pid, int tid, int pointerSize, ReadOnlySpan<byte> payload)
    {
        switch (what)
        {
            case KernelEvent.Switch when SwitchPayload.Read(payload) is { } e:
                Switches++;
                Switch(time, cpu, e);
                break;
            case KernelEvent.Ready when ReadyPayload.Read(payload) is { WaitsForMemory: false } e:
                Ready(time, cpu, tid, e);
                break;
            case KernelEvent.Sample when payload.Length >= pointerSize + sizeof(int):
                Sample(time, cpu, pid, BinaryPrimitives.ReadInt32LittleEndian(payload[pointerSize..]));
                break;
            case KernelEvent.ThreadExists when ThreadPayload.Read(payload, pointerSize) is { } e:
                Exists(e.Pid, e.Tid, e.Name);
                break;
            case KernelEvent.ThreadStart when ThreadPayload.Read(payload, pointerSize) is { } e:
                Start(time, cpu, tid, e);
                break;
            case KernelEvent.ThreadEnd when ThreadPayload.Read(payload, pointerSize) is { } e:
                _neverReady.Remove(e.Tid);
                sink.ThreadExit(time, e.Pid, e.Tid);
                break;
            case KernelEvent.ThreadName when ThreadPayload.ReadSetName(payload) is { Name: not null } e:
                sink.ThreadName(time, e.Pid, e.Tid, e.Name);
                break;
        }
    }

    /// <summary>Translates an event of the kernel's TCP/IP. The thread in its header is the interrupted one, if
    /// any.</summary>
    /// <param name="ipv6">Whether the event is the one for IPv6.</param>
    public void TranslateTcp(TcpReport report, bool ipv6, long time, ReadOnlySpan<byte> payload)
    {
        if (TcpPayload.Read(payload, ipv6) is { } e)
        {
            sink.SocketReport(time, e.Pid, report, e.Bytes, e.Ends);
        }
    }

    /// <summary>Returns the time at which an arriving thread of a process had left its core to wait, and forgets it;
    /// null if the thread did not wait or belongs to another process.</summary>
    public long? TakeBlock(int tid, int pid) =>
        _processOf.GetValueOrDefault(tid, Unknown) == pid && _blockedSince.Remove(tid, out var since) ? since : null;

    private void Switch(long time, int cpu, SwitchPayload e)
    {
        Current(cpu) = e.NewTid;
        var left = PreviousState.Of(e.OldState);
        if (e.OldTid != 0 && left == PreviousState.Waiting)
        {
            _blockedSince[e.OldTid] = time;
        }
        else
        {
            _blockedSince.Remove(e.OldTid);
        }

        sink.Switch(time, cpu, e.OldTid, left, e.NewTid);
    }

    private void Ready(long time, int cpu, int tid, ReadyPayload e)
    {
        // As on Linux, a new thread's first wake-up has an event of its own. The core that queued it is not reported.
        var wakeup = _neverReady.Remove(e.Tid) ? WakeupEvent.WakeupNew : WakeupEvent.Waking;
        sink.Wakeup(time, cpu, wakeup, e.ByInterrupt ? Unknown : Author(cpu, tid), e.Tid, Unknown);
    }

    private void Sample(long time, int cpu, int pid, int tid) =>
        sink.Sample(time, cpu, tid == 0 ? 0 : _processOf.GetValueOrDefault(tid, pid), tid, default);

    private void Start(long time, int cpu, int tid, ThreadPayload e)
    {
        _processOf[e.Tid] = e.Pid;
        _neverReady.Add(e.Tid);
        var author = Author(cpu, tid);
        sink.ThreadStart(time, e.Pid, e.Tid, author);

        // The creator's name says nothing if another process created the thread, as always for a process's first
        // thread.
        if (e.Name is not null || _processOf.GetValueOrDefault(author, Unknown) != e.Pid)
        {
            sink.ThreadName(time, e.Pid, e.Tid, e.Name ?? processName(e.Pid) ?? "");
        }
    }

    /// <summary>Returns the thread that caused an event. If the event has no thread, it is the one that its core
    /// runs.</summary>
    private int Author(int cpu, int tid)
    {
        var author = tid > 0 ? tid : Current(cpu);
        return author > 0 ? author : Unknown;
    }

    private ref int Current(int cpu)
    {
        while (_current.Count <= cpu)
        {
            _current.Add(Unknown);
        }

        return ref CollectionsMarshal.AsSpan(_current)[cpu];
    }
}
