using System.Buffers;
using System.Buffers.Binary;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents.Capture;

/// <summary>Chooses the records of one process out of those of all: its threads' switches and ends, the wake-ups of its
/// threads whoever woke them, its CPU samples, and everything that tells of losses. The kernel's own filters cannot do it: a
/// tracepoint filter would have to name threads that are not born yet, and an inherited event sees a switch only as the
/// leaving thread does.</summary>
/// <param name="events">Of the recording.</param>
internal sealed class TargetFilter(int pid, IReadOnlyList<RecordedEvent> events)
{
    private const int HeaderBytes = 8;

    private readonly HashSet<int> _tids = [];
    private readonly EventTable _layouts = new(events);
    private readonly ArrayBufferWriter<byte> _kept = new(1 << 16);
    private readonly byte[] _wrapped = new byte[ushort.MaxValue + 1];

    internal int Pid => pid;

    /// <summary>A thread that exists; births are learnt from the records.</summary>
    internal void Add(int tid) => _tids.Add(tid);

    /// <summary>Takes note of births. To be called with what any ring holds before anything that a newborn thread did is
    /// chosen from another ring: a birth is in its ring before the thread can run.</summary>
    internal void Learn(in RingContent content)
    {
        for (var at = 0; at < content.Length;)
        {
            var header = content.From(at);
            var size = BinaryPrimitives.ReadUInt16LittleEndian(header[6..]);
            if ((RecordType)BinaryPrimitives.ReadUInt32LittleEndian(header) == RecordType.Fork)
            {
                var fork = Whole(content, at, size);
                var tid = Int32(fork, HeaderBytes + 8);
                if (Int32(fork, HeaderBytes) == pid)
                {
                    _tids.Add(tid);
                }
                else
                {
                    _tids.Remove(tid); // the id lives on in another process
                }
            }

            at += size;
        }
    }

    /// <summary>The records that are the target's, until the next call.</summary>
    internal ReadOnlySpan<byte> Choose(in RingContent content)
    {
        _kept.ResetWrittenCount();
        for (var at = 0; at < content.Length;)
        {
            var size = BinaryPrimitives.ReadUInt16LittleEndian(content.From(at)[6..]);
            var record = Whole(content, at, size);
            if (Keeps(record))
            {
                _kept.Write(record);
            }

            at += size;
        }

        return _kept.WrittenSpan;
    }

    private bool Keeps(ReadOnlySpan<byte> record) => (RecordType)BinaryPrimitives.ReadUInt32LittleEndian(record) switch
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
        return _tids.Contains((int)layout.Subject.Read(raw))
            || (layout.Kind == EventKind.Switch && _tids.Contains((int)layout.NextPid.Read(raw)));
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
