using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Etl.Format;

/// <summary>The clock that a file's time stamps come from.</summary>
public enum EtlClockKind
{
    /// <summary>QueryPerformanceCounter.</summary>
    Counter = 1,

    /// <summary>System time, in units of 100 ns.</summary>
    SystemTime = 2,

    /// <summary>Processor cycles.</summary>
    Cycles = 3,
}

/// <summary>The header of a file (TRACE_LOGFILE_HEADER): the payload of the first event in the first buffer. Times of
/// day are FILETIME values: units of 100 ns since 1601, UTC.</summary>
public sealed record FileHeader
{
    private const int FirstPointer = 56;
    private const int TimeZoneBytes = 172;

    // BootTime, PerfFreq, StartTime (i64 each), clock, BuffersLost (u32 each).
    private const int TailBytes = 32;

    private const uint CircularMode = 0x2;

    /// <summary>The size of each of the session's buffers, bytes.</summary>
    public required long BufferBytes { get; init; }

    public required int OsMajor { get; init; }

    public required int OsMinor { get; init; }

    public required int OsBuild { get; init; }

    /// <summary>Logical processors of the machine.</summary>
    public required int Processors { get; init; }

    /// <summary>The time at which the session ended; 0: it never closed the file.</summary>
    public required long EndTime { get; init; }

    /// <summary>The resolution of the times of day, in units of 100 ns.</summary>
    public required uint TimerResolution { get; init; }

    /// <summary>The maximum size of the file, MB; 0: unlimited.</summary>
    public required uint MaximumFileSize { get; init; }

    public required uint LogFileMode { get; init; }

    public required uint BuffersWritten { get; init; }

    public required uint StartBuffers { get; init; }

    /// <summary>The pointer size of the machine: 4 or 8 bytes.</summary>
    public required int PointerSize { get; init; }

    /// <summary>The number of events that the session could not write.</summary>
    public required uint EventsLost { get; init; }

    public required uint CpuMHz { get; init; }

    /// <summary>Minutes to add to local time to get UTC.</summary>
    public required int UtcOffsetMinutes { get; init; }

    public required long BootTime { get; init; }

    /// <summary>Ticks of the performance counter per second.</summary>
    public required long PerfFreq { get; init; }

    public required long StartTime { get; init; }

    public required EtlClockKind Clock { get; init; }

    public required uint BuffersLost { get; init; }

    public required string SessionName { get; init; }

    public required string FileName { get; init; }

    /// <summary>True if the newest events overwrite the oldest ones once the file is full.</summary>
    public bool IsCircular => (LogFileMode & CircularMode) != 0;

    /// <returns>Null if the payload is too short, or has an unknown pointer size or clock.</returns>
    public static FileHeader? Read(ReadOnlySpan<byte> payload)
    {
        if (payload.Length < FirstPointer)
        {
            return null;
        }

        var pointer = Int32(payload, 44);
        var zone = FirstPointer + (2 * pointer);
        var tail = (zone + TimeZoneBytes + 7) & ~7;
        if (pointer is not (4 or 8) || payload.Length < tail + TailBytes)
        {
            return null;
        }

        var clock = (EtlClockKind)Int32(payload, tail + 24);
        var names = payload[(tail + TailBytes)..];
        var session = Text(names);
        return clock is < EtlClockKind.Counter or > EtlClockKind.Cycles ? null : new FileHeader
        {
            BufferBytes = UInt32(payload, 0),
            OsMajor = payload[4],
            OsMinor = payload[5],
            OsBuild = Int32(payload, 8),
            Processors = Int32(payload, 12),
            EndTime = Int64(payload, 16),
            TimerResolution = UInt32(payload, 24),
            MaximumFileSize = UInt32(payload, 28),
            LogFileMode = UInt32(payload, 32),
            BuffersWritten = UInt32(payload, 36),
            StartBuffers = UInt32(payload, 40),
            PointerSize = pointer,
            EventsLost = UInt32(payload, 48),
            CpuMHz = UInt32(payload, 52),
            UtcOffsetMinutes = Int32(payload, zone),
            BootTime = Int64(payload, tail),
            PerfFreq = Int64(payload, tail + 8),
            StartTime = Int64(payload, tail + 16),
            Clock = clock,
            BuffersLost = UInt32(payload, tail + 28),
            SessionName = session,
            FileName = Text(names[Math.Min(names.Length, 2 * (session.Length + 1))..]),
        };
    }

    private static int Int32(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadInt32LittleEndian(bytes[at..]);

    private static uint UInt32(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadUInt32LittleEndian(bytes[at..]);

    private static long Int64(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadInt64LittleEndian(bytes[at..]);

    private static string Text(ReadOnlySpan<byte> bytes)
    {
        var length = 0;
        while (length + 1 < bytes.Length && BinaryPrimitives.ReadUInt16LittleEndian(bytes[length..]) != 0)
        {
            length += sizeof(char);
        }

        return Encoding.Unicode.GetString(bytes[..length]);
    }
}
