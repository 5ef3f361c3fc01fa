using System.Buffers.Binary;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>Chooses the records of one process out of those of all: its threads' switches and ends, the wake-ups of its
/// threads whoever woke them, its CPU samples, and everything that reports losses. The kernel's own filters cannot do it: a
/// tracepoint filter would have to name threads that are not born yet, and an inherited event sees a switch only as the
/// leaving thread does.</summary>
/// <param name="events">Of the recording.</param>
internal sealed class TargetFilter(int pid, IReadOnlyList<RecordedEvent> events)
{
    private const int HeaderBytes = 8;

    private readonly ThreadSet _threads = new();
    private readonly EventTable _layouts = new(events);
    private readonly byte[] _wrapped = new byte[ushort.MaxValue + 1];

    internal int Pid => pid;

    /// <summary>A thread that exists; births are learnt from the records.</summary>
    internal void Add(int tid) => _threads.Add(tid);

    /// <summary>Takes note of births. A newborn thread may have run on another CPU within the same look at the rings: what was
    /// chosen in it before its birth was known has to be chosen again.</summary>
    /// <returns>True: the target has other threads than before.</returns>
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

    /// <summary>Chooses the records that are the target's, and takes note of births.</summary>
    /// <param name="chosen">Gets their places in the content, in place of what it had.</param>
    /// <returns>True: the target has other threads than before.</returns>
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
        return Int32(fork, HeaderBytes) == pid ? _threads.Add(tid) : _threads.Remove(tid); // the id lives on in another process
    }

    private bool Keeps(RecordType type, ReadOnlySpan<byte> record) => type switch
    {
        RecordType.Sample => KeepsSample(record),
        RecordType.Comm or RecordType.Fork or RecordType.Exit or RecordType.Mmap or RecordType.Mmap2 => Int32(record, HeaderBytes) == pid,

        // Who comes or goes stands in the trailer, the other one in the body.
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
            // Data arrives in whichever thread the interrupt found, and connections are made there too.
            return layout.Kind is EventKind.SocketArrival or EventKind.SocketState || Int32(record, layout.Tid) == pid;
        }

        var raw = record[(layout.Body + sizeof(uint))..];
        return _threads.Contains((int)layout.Subject.Read(raw))
            || (layout.Kind == EventKind.Switch && _threads.Contains((int)layout.NextPid.Read(raw)));
    }

    /// <summary>A record in one piece, also where the ring wraps around inside it.</summary>
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
