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
    private const long LatestTime = (1L << 61) - 1;

    private const int RecordsBetweenCancellationChecks = 1 << 14;

    /// <summary>Sends every event to the sink, in order of time. Streams: memory does not grow with the file.</summary>
    /// <param name="folder">The capture's folder.</param>
    /// <exception cref="FileNotFoundException">The folder has no recording.</exception>
    /// <exception cref="InvalidDataException">The file tells nothing of what was recorded; the message is for a person.</exception>
    /// <exception cref="OperationCanceledException">Cancelled between records.</exception>
    public static PerfDataSummary Read(string folder, ISchedulerEvents sink, CancellationToken cancellationToken = default) =>
        Read(folder, sink, long.MinValue, long.MaxValue, cancellationToken);

    /// <summary>Sends every event to the sink, and takes a record from outside of a time for damage.</summary>
    /// <param name="earliestNs">No record can be older, but those without a time.</param>
    /// <param name="latestNs">No record can be newer.</param>
    /// <inheritdoc cref="Read(string, ISchedulerEvents, CancellationToken)"/>
    public static PerfDataSummary Read(
        string folder, ISchedulerEvents sink, long earliestNs, long latestNs, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(sink);
        using var file = new PerfDataFile(folder);
        var merge = new RoundMerge();
        var dispatch = new RecordDispatch(file, sink);
        var (complete, damage) = (false, default(string));
        try
        {
            complete = ReadRecords(file, merge, ref dispatch, Math.Max(earliestNs, 1), Math.Min(latestNs, LatestTime), out damage, cancellationToken);
            merge.Flush(long.MaxValue, ref dispatch);
        }
        catch (InvalidDataException e)
        {
            damage = e.Message; // of a record that was framed well and holds nonsense
        }

        dispatch.Finish();
        return new PerfDataSummary(
            dispatch.Events, dispatch.Lost, dispatch.FirstNs, dispatch.LastNs, file.IsCut || !complete || damage is not null, file.Length)
        {
            OnlyPid = file.OnlyPid,
            Damage = damage,
            HasSockets = file.Events.HasSockets,
        };
    }

    /// <param name="damage">Null: none. What came before is in the merge.</param>
    /// <returns>False: a cut or damaged file, of which the rest is missing.</returns>
    private static bool ReadRecords(
        PerfDataFile file, RoundMerge merge, ref RecordDispatch dispatch, long earliest, long latest, out string? damage, CancellationToken cancellationToken)
    {
        var end = file.Data.End;
        var roundNewest = 0L;
        var records = 0;
        damage = null;
        for (var at = file.Data.Offset; at < end;)
        {
            if (++records % RecordsBetweenCancellationChecks == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }

            if (!TryFrame(file, at, end, out var record, out damage))
            {
                return false; // the last record of a cut file
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
                damage = Add(file.Events, merge, ref dispatch, record, type, at, earliest, latest);
                if (damage is not null)
                {
                    return false;
                }
            }
            else if (type is RecordType.Compressed or RecordType.AuxTrace or RecordType.TracingData)
            {
                damage = $"records of type {(uint)type} ({type}), which this reader does not know, at byte {at}";
                return false;
            }

            at += record.Length;
        }

        return true;
    }

    /// <returns>False: a cut file ends here.</returns>
    private static bool TryFrame(PerfDataFile file, long at, long end, out ReadOnlySpan<byte> record, out string? damage)
    {
        record = default;
        damage = null;
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

        damage = file.IsCut ? null : At("a record that does not fit", at);
        return false;
    }

    /// <returns>What of the record cannot be true; null: it was added.</returns>
    private static string? Add(
        EventTable events, RoundMerge merge, ref RecordDispatch dispatch, ReadOnlySpan<byte> record, RecordType type, long at, long earliest, long latest)
    {
        ulong time;
        uint cpu;
        if (type == RecordType.Sample)
        {
            if (record.Length < HeaderBytes + sizeof(ulong)
                || events.Find(BinaryPrimitives.ReadUInt64LittleEndian(record[HeaderBytes..])) is not { } layout
                || record.Length < layout.Body)
            {
                return At("a sample of an unknown event", at);
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
                return At("a record of an unknown event", at);
            }

            time = BinaryPrimitives.ReadUInt64LittleEndian(record[^layout.TimeFromEnd..]);
            cpu = BinaryPrimitives.ReadUInt32LittleEndian(record[^layout.CpuFromEnd..]);
        }

        if (time == 0 && type is RecordType.Comm or RecordType.Mmap or RecordType.Mmap2 or RecordType.Fork)
        {
            // What the recorder described at the start: before everything else.
            dispatch.Consume(0, at);
            return null;
        }

        if (time > (ulong)latest || time < (ulong)earliest || cpu >= MostCpus)
        {
            return At("a record with an impossible time or CPU", at);
        }

        if (type is RecordType.Lost or RecordType.LostSamples)
        {
            dispatch.RememberGap(at, merge.Newest((int)cpu));
        }

        dispatch.Added((long)time);
        return merge.Add((int)cpu, (long)time, at) ? null : At("a record far older than those before it", at);
    }

    private static string At(string what, long at) => $"{what} at byte {at}";

    internal static InvalidDataException Damaged(string what, long at) => new(At(what, at));
}
