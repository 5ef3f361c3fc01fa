using System.Buffers.Binary;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents.Capture.Rings;

/// <summary>Examines every record of one CPU before it is written. It counts the records, and drops those switch
/// records of the perf core that say nothing new. They are there for tasks that fire no tracepoint; if the tracepoint
/// fired, it has reported the switch already (<see cref="RecordDispatch"/> skips the same records).</summary>
/// <param name="switchIds">Finds the tracepoint sched_switch; null: no record is dropped.</param>
internal sealed class RecordSieve(EventTable? switchIds)
{
    private const int HeaderBytes = 8;
    private const int LostCountOffset = 16;

    // PERF_RECORD_SWITCH_CPU_WIDE: header, next_prev_pid, next_prev_tid, then TID TIME CPU IDENTIFIER of the thread itself.
    private const int WideThreadOffset = HeaderBytes + 8 + sizeof(int);

    private int _current = -1;

    /// <summary>The number of SAMPLE and SWITCH records.</summary>
    internal long Events { get; private set; }

    /// <summary>The sum of the losses in LOST records.</summary>
    internal long Lost { get; private set; }

    /// <summary>Forgets the current thread, because the next records go to a file that does not have the earlier
    /// ones.</summary>
    internal void BeginFile() => _current = -1;

    /// <summary>Moves the records to write to the front.</summary>
    /// <param name="bytes">Records; the last one may be incomplete.</param>
    /// <param name="taken">Bytes of the complete records among them.</param>
    /// <returns>Number of bytes to write.</returns>
    internal int Sift(Span<byte> bytes, out int taken)
    {
        var (at, kept, run) = (0, 0, 0);
        while (bytes.Length - at >= HeaderBytes)
        {
            var size = BinaryPrimitives.ReadUInt16LittleEndian(bytes[(at + 6)..]);
            if (size > bytes.Length - at)
            {
                break;
            }

            if (!Keeps(bytes.Slice(at, size)))
            {
                kept = Move(bytes, run, at, kept);
                run = at + size;
            }

            at += size;
        }

        taken = at;
        return Move(bytes, run, at, kept);
    }

    private static int Move(Span<byte> bytes, int start, int end, int to)
    {
        if (start != to)
        {
            bytes[start..end].CopyTo(bytes[to..]);
        }

        return to + end - start;
    }

    private bool Keeps(ReadOnlySpan<byte> record)
    {
        switch ((RecordType)BinaryPrimitives.ReadUInt32LittleEndian(record))
        {
            case RecordType.Sample:
                Events++;
                if (switchIds?.Find(BinaryPrimitives.ReadUInt64LittleEndian(record[HeaderBytes..])) is { Kind: EventKind.Switch } layout)
                {
                    _current = (int)layout.NextPid.Read(record[(layout.Body + sizeof(uint))..]);
                }

                return true;
            case RecordType.Switch:
                Events++;
                return true;
            case RecordType.Lost:
                Lost += BinaryPrimitives.ReadInt64LittleEndian(record[LostCountOffset..]);
                return true;
            case RecordType.SwitchCpuWide when switchIds is not null:
                var thread = BinaryPrimitives.ReadInt32LittleEndian(record[WideThreadOffset..]);
                if ((BinaryPrimitives.ReadUInt16LittleEndian(record[4..]) & RecordMisc.SwitchOut) != 0 || thread <= 0 || thread == _current)
                {
                    return false;
                }

                _current = thread;
                return true;
            default:
                return true;
        }
    }
}
