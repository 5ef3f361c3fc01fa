using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Poolscope.PerfEvents.Format;

namespace Poolscope.PerfEvents.Reading;

/// <summary>Finds the records of a file, checks their frame, time and CPU, and passes them on in order of
/// time.</summary>
/// <param name="earliest">No record can be older, except those without a time.</param>
/// <param name="latest">No record can be newer.</param>
internal sealed class RecordFinder(PerfDataFile file, RecordBatches records, long earliest, long latest)
{
    private const int HeaderBytes = 8;

    // The tables' CPU columns are int16.
    private const uint MostCpus = (uint)short.MaxValue;

    private const long MostLost = 1L << 40;

    private const int RecordsBetweenCancellationChecks = 1 << 14;

    private readonly RoundMerge _merge = new();
    private readonly EventTable _events = file.Events;
    private RecordBatches _records = records;
    private long _newest;

    /// <summary>By the offset of a LOST or LOST_SAMPLES record: time of the record before it in the same ring; -1:
    /// none.</summary>
    internal ConcurrentDictionary<long, long> LastBeforeGap { get; } = [];

    /// <summary>The fault in a record; null: none. Records before it were passed on.</summary>
    internal string? Damage { get; private set; }

    /// <summary>Samples that the recorder reported as lost at its end, without a time.</summary>
    internal long UndatedLosses { get; private set; }

    /// <summary>Reads to the end, or to the first invalid record.</summary>
    /// <returns>False if the rest is missing, because the file is truncated or damaged.</returns>
    /// <exception cref="OperationCanceledException">Cancelled between records.</exception>
    internal bool Run(CancellationToken cancellation)
    {
        var complete = Read(cancellation);
        _merge.Flush(long.MaxValue, ref _records);
        return complete;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // called once
    private bool Read(CancellationToken cancellation)
    {
        var end = file.Data.End;
        var roundNewest = 0L;
        var count = 0;
        for (var at = file.Data.Offset; at < end;)
        {
            if (++count % RecordsBetweenCancellationChecks == 0)
            {
                cancellation.ThrowIfCancellationRequested();
            }

            if (!TryFrame(at, end, out var record))
            {
                return false; // the last record of a truncated file
            }

            var type = (RecordType)BinaryPrimitives.ReadUInt32LittleEndian(record);
            if (type == RecordType.FinishedRound)
            {
                // No record older than the previous round's newest one can follow.
                var safe = roundNewest;
                roundNewest = _newest;
                _merge.Flush(safe, ref _records);
            }
            else if (type < RecordType.FirstOfRecorder)
            {
                Damage = Add(record, type, at);
                if (Damage is not null)
                {
                    return false;
                }
            }
            else if (type is RecordType.Compressed or RecordType.Compressed2 or RecordType.AuxTrace or RecordType.TracingData)
            {
                Damage = $"records of type {(uint)type} ({type}), which this reader does not know, at byte {at}";
                return false;
            }

            at += record.Length;
        }

        return true;
    }

    /// <returns>False if the file ends here.</returns>
    private bool TryFrame(long at, long end, out ReadOnlySpan<byte> record)
    {
        if (end - at >= HeaderBytes)
        {
            int size = BinaryPrimitives.ReadUInt16LittleEndian(file.At(at + 6, 2));
            if (size >= HeaderBytes && size <= end - at)
            {
                record = file.At(at, size);
                return true;
            }

            // After a power failure, the end of a file may be zeros in place of data that was never written.
            if (file.IsCut && (size == 0 || size > end - at))
            {
                record = default;
                return false;
            }
        }

        Damage = file.IsCut ? null : PerfDataReader.At("a record that does not fit", at);
        record = default;
        return false;
    }

    /// <returns>The fault in the record; null: it was added.</returns>
    private string? Add(ReadOnlySpan<byte> record, RecordType type, long at)
    {
        return type == RecordType.Sample ? AddSample(record, at) : AddOther(record, type, at);
    }

    private string? AddSample(ReadOnlySpan<byte> record, long at)
    {
        if (record.Length < HeaderBytes + sizeof(ulong)
            || _events.OfSample(record) is not { } layout
            || record.Length < layout.Body)
        {
            return PerfDataReader.At("a sample of an unknown event", at);
        }

        var time = BinaryPrimitives.ReadUInt64LittleEndian(record[layout.Time..]);
        var cpu = BinaryPrimitives.ReadUInt32LittleEndian(record[layout.Cpu..]);
        return IsPossible(time, cpu) ? AddInOrder(Decoded(record, layout, (long)time, (short)cpu, at)) : Impossible(at);
    }

    private string? AddOther(ReadOnlySpan<byte> record, RecordType type, long at)
    {
        if (record.Length < HeaderBytes + sizeof(ulong)
            || _events.OfOther(record) is not { } layout
            || record.Length < HeaderBytes + layout.TrailerBytes)
        {
            return PerfDataReader.At("a record of an unknown event", at);
        }

        var time = BinaryPrimitives.ReadUInt64LittleEndian(record[^layout.TimeFromEnd..]);
        var cpu = BinaryPrimitives.ReadUInt32LittleEndian(record[^layout.CpuFromEnd..]);
        if (time == 0 && type is RecordType.Comm or RecordType.Mmap or RecordType.Mmap2 or RecordType.Fork)
        {
            // The recorder described the existing threads and mappings at the start: before everything else.
            _records.Consume(new FoundRecord(0, at, EventKind.Other, 0, 0, 0, 0));
            return null;
        }

        if (time == 0 && file.IsByAnyTool)
        {
            // `perf record` makes these itself, too: kernel symbols and programs, cgroups, and the losses at its end.
            UndatedLosses += type == RecordType.LostSamples ? LostSamples(record, layout) : 0;
            return null;
        }

        if (!IsPossible(time, cpu))
        {
            return Impossible(at);
        }

        if (type is RecordType.Lost or RecordType.LostSamples)
        {
            LastBeforeGap[at] = _merge.Newest((int)cpu);
        }

        return type == RecordType.SwitchCpuWide && record.Length >= HeaderBytes + sizeof(ulong) + layout.TrailerBytes
            ? AddArrival(record, layout, (long)time, (short)cpu, at)
            : AddInOrder(new FoundRecord((long)time, at, EventKind.Other, (short)cpu, 0, 0, 0));
    }

    private static long LostSamples(ReadOnlySpan<byte> record, EventLayout layout) =>
        record.Length >= HeaderBytes + sizeof(ulong) + layout.TrailerBytes ? Math.Clamp(BinaryPrimitives.ReadInt64LittleEndian(record[HeaderBytes..]), 0, MostLost) : 0;

    private string? AddArrival(ReadOnlySpan<byte> record, EventLayout layout, long time, short cpu, long at)
    {
        var thread = BinaryPrimitives.ReadInt32LittleEndian(record[^(layout.TrailerBytes - sizeof(int))..]);
        var leaves = (BinaryPrimitives.ReadUInt16LittleEndian(record[4..]) & RecordMisc.SwitchOut) != 0;
        var other = BinaryPrimitives.ReadInt32LittleEndian(record[(HeaderBytes + sizeof(int))..]);

        // A departure need not be reported: a tracepoint reports it, or the next arrival does. It is passed on
        // nevertheless, because the order of two CPUs' records of the same time depends on the records before them.
        return AddInOrder(new FoundRecord(time, at, EventKind.Arrival, cpu, leaves ? 0 : thread, other, 0));
    }

    private bool IsPossible(ulong time, uint cpu) => time <= (ulong)latest && time >= (ulong)earliest && cpu < MostCpus;

    private static string Impossible(long at) => PerfDataReader.At("a record with an impossible time or CPU", at);

    private string? AddInOrder(in FoundRecord record)
    {
        _newest = Math.Max(_newest, record.Time);
        return _merge.Add(record) ? null : PerfDataReader.At("a record far older than those before it", record.Offset);
    }

    /// <summary>Decodes a complete switch or wake-up. Other records are left to <see cref="RecordDispatch"/>, which
    /// reports their faults in order.</summary>
    private static FoundRecord Decoded(ReadOnlySpan<byte> record, EventLayout layout, long time, short cpu, long at)
    {
        var rest = record[layout.Body..];
        if (layout.Kind is EventKind.Switch or EventKind.Waking or EventKind.Wakeup or EventKind.WakeupNew && !layout.HasCallChain && rest.Length >= sizeof(uint))
        {
            var size = BinaryPrimitives.ReadUInt32LittleEndian(rest);
            if (size >= layout.RawBytes && size <= rest.Length - sizeof(uint))
            {
                var raw = rest[sizeof(uint)..];
                var thread = (int)layout.Subject.Read(raw);
                return layout.Kind == EventKind.Switch
                    ? new FoundRecord(time, at, EventKind.Switch, cpu, thread, (int)layout.NextPid.Read(raw), (int)layout.PrevState.Read(raw))
                    : new FoundRecord(time, at, layout.Kind, cpu, thread, layout.Kind == EventKind.Wakeup ? -1 : layout.Waker(raw), (int)layout.TargetCpu.Read(raw));
            }
        }

        return new FoundRecord(time, at, EventKind.Other, cpu, 0, 0, 0);
    }
}
