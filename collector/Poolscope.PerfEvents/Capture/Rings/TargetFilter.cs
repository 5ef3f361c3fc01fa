using System.Buffers.Binary;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>Chooses the records of one process among those of all: switches and ends of its threads, wake-ups of its
/// threads by any waker, its CPU samples, and every record that reports losses. The kernel's own filters cannot do
/// this: a tracepoint filter would have to name threads that are not born yet, and an inherited event sees a switch
/// only from the leaving thread.</summary>
/// <param name="events">The events of the recording.</param>
internal sealed class TargetFilter(int pid, IReadOnlyList<RecordedEvent> events)
{
    private const int HeaderBytes = 8;

    private readonly ThreadSet _threads = new();
    private readonly EventTable _layouts = new(events);
    private readonly byte[] _wrapped = new byte[ushort.MaxValue + 1];

    internal int Pid => pid;

    /// <summary>Adds an existing thread. The filter learns births from the records.</summary>
    internal void Add(int tid) => _threads.Add(tid);

    /// <summary>Learns births. A newborn thread may have run on another CPU within the same look at the rings: records
    /// chosen there before its birth was known must be chosen again.</summary>
    /// <returns>True if the target's threads have changed.</returns>
    internal bool Learn(in RingContent content)
    {
        var learnt = false;
        for (var at = 0; at < content.Length;)
        {
            var header = content.From(at);
            var size = BinaryPrimitives.ReadUInt16LittleEndian(header[6..]);
            if ((RecordType)BinaryPrimitives.ReadUInt32LittleEndian(header) == RecordType.Fork)
            {
                learnt |= Learn(Whole(content, at, size));
            }

            at += size;
        }

        return learnt;
    }

    /// <summary>Chooses the target's records, and learns births.</summary>
    /// <param name="chosen">Receives their ranges in the content, in place of its old entries.</param>
    /// <returns>True if the target's threads have changed.</returns>
    internal bool Choose(in RingContent content, List<Range> chosen)
    {
        chosen.Clear();
        var (learnt, start) = (false, 0);
        var kept = false;
        for (var at = 0; at < content.Length;)
        {
            var size = BinaryPrimitives.ReadUInt16LittleEndian(content.From(at)[6..]);
            var record = Whole(content, at, size);
            var type = (RecordType)BinaryPrimitives.ReadUInt32LittleEndian(record);
            learnt |= type == RecordType.Fork && Learn(record);
            var keeps = Keeps(type, record);
            if (keeps && !kept)
            {
                start = at;
            }
            else if (kept && !keeps)
            {
                chosen.Add(start..at);
            }

            kept = keeps;
            at += size;
        }

        if (kept)
        {
            chosen.Add(start..content.Length);
        }

        return learnt;
    }

    /// <param name="fork">The whole record.</param>
    private bool Learn(ReadOnlySpan<byte> fork)
    {
        var tid = Int32(fork, HeaderBytes + 8);
        return Int32(fork, HeaderBytes) == pid ? _threads.Add(tid) : _threads.Remove(tid); // the id is now in another process
    }

    private bool Keeps(RecordType type, ReadOnlySpan<byte> record) => type switch
    {
        RecordType.Sample => KeepsSample(record),
        RecordType.Comm or RecordType.Fork or RecordType.Exit or RecordType.Mmap or RecordType.Mmap2 => Int32(record, HeaderBytes) == pid,

        // The trailer has the thread that comes or goes, the body the other one.
        RecordType.SwitchCpuWide => Int32(record, HeaderBytes) == pid
            || (_layouts.Find(BinaryPrimitives.ReadUInt64LittleEndian(record[^sizeof(ulong)..])) is { } layout
                && Int32(record, record.Length - layout.TrailerBytes) == pid),
        _ => true,
    };

    private bool KeepsSample(ReadOnlySpan<byte> record)
    {
        if (_layouts.Find(BinaryPrimitives.ReadUInt64LittleEndian(record[HeaderBytes..])) is not { Kind: not EventKind.Other } layout)
        {
            return false;
        }

        if (layout.Kind == EventKind.CpuClock)
        {
            return Int32(record, layout.Tid) == pid;
        }

        if (layout.Socket is not null)
        {
            // Data arrives in an arbitrary thread, the one that the interrupt found. Connections are made there too.
            return layout.Kind is EventKind.SocketArrival or EventKind.SocketState || Int32(record, layout.Tid) == pid;
        }

        var raw = record[(layout.Body + sizeof(uint))..];
        return _threads.Contains((int)layout.Subject.Read(raw))
            || (layout.Kind == EventKind.Switch && _threads.Contains((int)layout.NextPid.Read(raw)));
    }

    /// <summary>Returns a record in one piece, even if the ring wraps around inside it.</summary>
    private ReadOnlySpan<byte> Whole(in RingContent content, int at, int size)
    {
        var inFirst = content.First.Length - at;
        if (inFirst <= 0 || inFirst >= size)
        {
            return content.From(at)[..size];
        }

        content.First[at..].CopyTo(_wrapped);
        content.Second[..(size - inFirst)].CopyTo(_wrapped.AsSpan(inFirst));
        return _wrapped.AsSpan(0, size);
    }

    private static int Int32(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadInt32LittleEndian(bytes[at..]);
}
