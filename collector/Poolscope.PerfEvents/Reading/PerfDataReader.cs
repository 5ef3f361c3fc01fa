using System.Buffers.Binary;
using Poolscope.PerfEvents.Format;
using Poolscope.PerfEvents.Reading;

namespace Poolscope.PerfEvents;

/// <summary>Reads a scheduler recording: sched.perf.data, with sched.meta.json where the recorder never completed it.</summary>
public static class PerfDataReader
{
    private const int HeaderBytes = 8;

    // The tables' CPU columns are int16.
    private const uint MostCpus = (uint)short.MaxValue;

    // 73 years of uptime; leaves room for two flag bits beside a time.
    private const ulong LatestTime = 1UL << 61;

    private const int RecordsBetweenCancellationChecks = 1 << 14;

    /// <summary>Sends every event to the sink, in order of time. Streams: memory does not grow with the file.</summary>
    /// <param name="folder">The capture's folder.</param>
    /// <exception cref="FileNotFoundException">The folder has no recording.</exception>
    /// <exception cref="InvalidDataException">The file is damaged; the message says where. What came before it has been sent.</exception>
    /// <exception cref="OperationCanceledException">Cancelled between records.</exception>
    public static PerfDataSummary Read(string folder, ISchedulerEvents sink, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sink);
        using var file = new PerfDataFile(folder);
        var merge = new RoundMerge();
        var dispatch = new RecordDispatch(file, sink);
        var end = file.Data.End;
        var complete = true;
        var roundNewest = 0L;
        var records = 0;
        for (var at = file.Data.Offset; at < end;)
        {
            if (++records % RecordsBetweenCancellationChecks == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }

            if (!TryFrame(file, at, end, out var record))
            {
                complete = false; // the last record of a cut file
                break;
            }

            var type = (RecordType)BinaryPrimitives.ReadUInt32LittleEndian(record);
            if (type == RecordType.FinishedRound)
            {
                // Older than the previous round's newest record: nothing can come any more.
                var safe = roundNewest;
                roundNewest = dispatch.NewestAdded;
                merge.Flush(safe, ref dispatch);
            }
            else if (type < RecordType.FirstOfRecorder)
            {
                Add(file.Events, merge, ref dispatch, record, type, at);
            }
            else if (type is RecordType.Compressed or RecordType.AuxTrace or RecordType.TracingData)
            {
                throw new InvalidDataException($"{SchedulerRecording.DataFileName} has records of type {(uint)type} ({type}), which this reader does not know.");
            }

            at += record.Length;
        }

        merge.Flush(long.MaxValue, ref dispatch);
        dispatch.Finish();
        return new PerfDataSummary(
            dispatch.Events, dispatch.Lost, dispatch.FirstNs, dispatch.LastNs, file.IsCut || !complete, file.Length)
        {
            OnlyPid = file.OnlyPid,
        };
    }

    /// <returns>False: a cut file ends here.</returns>
    private static bool TryFrame(PerfDataFile file, long at, long end, out ReadOnlySpan<byte> record)
    {
        record = default;
        if (end - at >= HeaderBytes)
        {
            int size = BinaryPrimitives.ReadUInt16LittleEndian(file.At(at + 6, 2));
            if (size >= HeaderBytes && size <= end - at)
            {
                record = file.At(at, size);
                return true;
            }

            // After a power failure the end of a file may be zeros that were never written.
            if (file.IsCut && (size == 0 || size > end - at))
            {
                return false;
            }
        }

        return file.IsCut ? false : throw Damaged("a record that does not fit", at);
    }

    private static void Add(
        EventTable events, RoundMerge merge, ref RecordDispatch dispatch, ReadOnlySpan<byte> record, RecordType type, long at)
    {
        ulong time;
        uint cpu;
        if (type == RecordType.Sample)
        {
            if (record.Length < HeaderBytes + sizeof(ulong)
                || events.Find(BinaryPrimitives.ReadUInt64LittleEndian(record[HeaderBytes..])) is not { } layout
                || record.Length < layout.Body)
            {
                throw Damaged("a sample of an unknown event", at);
            }

            time = BinaryPrimitives.ReadUInt64LittleEndian(record[layout.Time..]);
            cpu = BinaryPrimitives.ReadUInt32LittleEndian(record[layout.Cpu..]);
        }
        else
        {
            if (record.Length < HeaderBytes + sizeof(ulong)
                || events.Find(BinaryPrimitives.ReadUInt64LittleEndian(record[^sizeof(ulong)..])) is not { } layout
                || record.Length < HeaderBytes + layout.TrailerBytes)
            {
                throw Damaged("a record of an unknown event", at);
            }

            time = BinaryPrimitives.ReadUInt64LittleEndian(record[^layout.TimeFromEnd..]);
            cpu = BinaryPrimitives.ReadUInt32LittleEndian(record[^layout.CpuFromEnd..]);
        }

        if (time == 0)
        {
            // What the recorder described at the start: before everything else.
            dispatch.Consume(0, at);
            return;
        }

        if (time >= LatestTime || cpu >= MostCpus)
        {
            throw Damaged("a record with an impossible time or CPU", at);
        }

        if (type is RecordType.Lost or RecordType.LostSamples)
        {
            dispatch.RememberGap(at, merge.Newest((int)cpu));
        }

        dispatch.Added((long)time);
        merge.Add((int)cpu, (long)time, at);
    }

    internal static InvalidDataException Damaged(string what, long at) =>
        new($"{SchedulerRecording.DataFileName} is damaged: {what} at byte {at}.");
}
