using System.Buffers.Binary;

namespace Poolscope.Decode.Schedstat;

/// <summary>The kinds of records in schedstat.bin.</summary>
public enum SchedstatRecordKind : byte
{
    /// <summary>Counters of a thread that changed since its last record, or the first counters of a thread that existed
    /// before the recording.</summary>
    Reading = 1,

    /// <summary>The first counters of a thread that was born since <see cref="SchedstatRecord.PreviousNs"/>.</summary>
    Born = 2,

    /// <summary>The thread ended between <see cref="SchedstatRecord.PreviousNs"/> and
    /// <see cref="SchedstatRecord.TimeNs"/>.</summary>
    Ended = 3,

    /// <summary>The thread's name, or its new name.</summary>
    Name = 4,

    /// <summary>The proper end of the recording. A file without it is cut.</summary>
    Finished = 5,
}

/// <summary>One record of schedstat.bin. Times are CLOCK_MONOTONIC ns.</summary>
/// <param name="PreviousNs">The time of the thread's previous reading, whether it was written or not. The counters did
/// not change between the thread's previous record and this time.</param>
/// <param name="RunNs">Time on a core since the thread's birth. For a running thread, as of the kernel's last
/// tick.</param>
/// <param name="WaitNs">Time in the run queue since the thread's birth, without a wait that is not over.</param>
/// <param name="Slices">The number of times the thread came onto a core.</param>
/// <param name="State">The state as in /proc/PID/stat: 'R' is runnable, on a core or not; any other letter is
/// blocked.</param>
/// <param name="Name">The thread's name, only for <see cref="SchedstatRecordKind.Name"/>.</param>
public readonly record struct SchedstatRecord(
    SchedstatRecordKind Kind, int Tid, long TimeNs, long PreviousNs, long RunNs, long WaitNs, long Slices, char State, string? Name = null);

/// <summary>The format of schedstat.bin: a header, then records of one size, all little-endian. The file may end
/// anywhere; whole records count. The file traces/README.md documents the layout.</summary>
public static class SchedstatFormat
{
    public const string FileName = "schedstat.bin";

    public const string Tier = "schedstat";

    public const int HeaderBytes = 40;

    public const int RecordBytes = 48;

    /// <summary>Bytes for a name: the kernel keeps 15 bytes and a zero.</summary>
    public const int NameBytes = 16;

    private const int Version = 1;

    private static ReadOnlySpan<byte> Magic => "POOLSTAT"u8;

    /// <param name="to"><see cref="HeaderBytes"/> bytes.</param>
    public static void WriteHeader(Span<byte> to, long stepNs, long startNs, int pid)
    {
        Magic.CopyTo(to);
        BinaryPrimitives.WriteInt32LittleEndian(to[8..], Version);
        BinaryPrimitives.WriteInt32LittleEndian(to[12..], RecordBytes);
        BinaryPrimitives.WriteInt64LittleEndian(to[16..], stepNs);
        BinaryPrimitives.WriteInt64LittleEndian(to[24..], startNs);
        BinaryPrimitives.WriteInt32LittleEndian(to[32..], pid);
        BinaryPrimitives.WriteInt32LittleEndian(to[36..], 0);
    }

    /// <returns>The polling step, ns.</returns>
    /// <exception cref="InvalidDataException">The bytes are not such a header, or have another version.</exception>
    public static long ReadHeader(ReadOnlySpan<byte> from)
    {
        if (from.Length < HeaderBytes || !from.StartsWith(Magic))
        {
            throw new InvalidDataException($"{FileName} does not begin as such a file does.");
        }

        return BinaryPrimitives.ReadInt32LittleEndian(from[8..]) == Version && BinaryPrimitives.ReadInt32LittleEndian(from[12..]) == RecordBytes
            ? BinaryPrimitives.ReadInt64LittleEndian(from[16..])
            : throw new InvalidDataException($"{FileName} is of another version.");
    }

    /// <summary>Writes a record of any kind except <see cref="SchedstatRecordKind.Name"/>.</summary>
    /// <param name="to"><see cref="RecordBytes"/> bytes.</param>
    public static void Write(Span<byte> to, in SchedstatRecord record)
    {
        BinaryPrimitives.WriteInt64LittleEndian(to[16..], record.RunNs);
        BinaryPrimitives.WriteInt64LittleEndian(to[24..], record.WaitNs);
        BinaryPrimitives.WriteInt64LittleEndian(to[32..], record.Slices);
        WriteFrame(to, record.Kind, record.Tid, record.TimeNs, record.PreviousNs, record.State);
    }

    /// <param name="to"><see cref="RecordBytes"/> bytes.</param>
    /// <param name="name">UTF-8 bytes; those beyond <see cref="NameBytes"/> are dropped.</param>
    public static void WriteName(Span<byte> to, int tid, long timeNs, ReadOnlySpan<byte> name)
    {
        to[16..40].Clear();
        name[..Math.Min(name.Length, NameBytes)].CopyTo(to[16..]);
        WriteFrame(to, SchedstatRecordKind.Name, tid, timeNs, timeNs, '?');
    }

    /// <param name="from"><see cref="RecordBytes"/> bytes.</param>
    /// <returns>False if the bytes are not a valid record.</returns>
    public static bool TryRead(ReadOnlySpan<byte> from, out SchedstatRecord record)
    {
        record = default;
        var kind = (SchedstatRecordKind)from[44];
        var time = BinaryPrimitives.ReadInt64LittleEndian(from);
        var previous = BinaryPrimitives.ReadInt64LittleEndian(from[8..]);
        if (kind is < SchedstatRecordKind.Reading or > SchedstatRecordKind.Finished || time <= 0 || previous > time)
        {
            return false;
        }

        var tid = BinaryPrimitives.ReadInt32LittleEndian(from[40..]);
        record = kind == SchedstatRecordKind.Name
            ? new SchedstatRecord(kind, tid, time, previous, 0, 0, 0, '?', System.Text.Encoding.UTF8.GetString(from.Slice(16, NameBytes).TrimEnd((byte)0)))
            : new SchedstatRecord(
                kind,
                tid,
                time,
                previous,
                BinaryPrimitives.ReadInt64LittleEndian(from[16..]),
                BinaryPrimitives.ReadInt64LittleEndian(from[24..]),
                BinaryPrimitives.ReadInt64LittleEndian(from[32..]),
                (char)from[45]);
        return true;
    }

    private static void WriteFrame(Span<byte> to, SchedstatRecordKind kind, int tid, long timeNs, long previousNs, char state)
    {
        BinaryPrimitives.WriteInt64LittleEndian(to, timeNs);
        BinaryPrimitives.WriteInt64LittleEndian(to[8..], previousNs);
        BinaryPrimitives.WriteInt32LittleEndian(to[40..], tid);
        to[44] = (byte)kind;
        to[45] = (byte)state;
        to[46] = to[47] = 0;
    }
}
