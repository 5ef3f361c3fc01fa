using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Files;

/// <summary>The header of a .nettrace file: its clock and its machine.</summary>
/// <param name="Clock">Converts ticks to nanoseconds.</param>
/// <param name="SyncNs">The start of the session by the runtime's own clock, CLOCK_MONOTONIC ns.</param>
/// <param name="PointerSize">The pointer size in bytes.</param>
internal sealed record NettraceHeader(TickClock Clock, long SyncNs, int PointerSize)
{
    // Wall clock as eight u16; ticks and frequency (i64 each); pointer size, process, processors, sampling (i32 each).
    private const int SyncOffset = 16;
    private const int FrequencyOffset = 24;
    private const int PointerSizeOffset = 32;
    private const int ProcessOffset = 36;
    private const int ProcessorsOffset = 40;
    private const int MostProcessors = 1 << 16;

    // Real clocks lie within these limits, and a conversion to ns cannot overflow.
    private const long LowestFrequency = 1_000;
    private const long HighestFrequency = 100_000_000_000;

    /// <summary>The version of the format that holds several processes.</summary>
    public const int SeveralProcesses = 6;

    /// <summary>The version of the format.</summary>
    public int Version { get; init; }

    /// <summary>The start of the session by the wall clock, to a millisecond.</summary>
    public DateTime StartUtc { get; init; }

    /// <summary>The id that the process itself sees; -1 if not reported, as in files of several processes.</summary>
    public int ProcessId { get; init; }

    /// <summary>The processors of the machine as the runtime counts them; at least 1.</summary>
    public int Processors { get; init; }

    /// <summary>Whether the file reports <see cref="Processors"/>. False if the number is only the minimum.</summary>
    public bool KnowsProcessors { get; init; }

    /// <exception cref="NettraceDamage">The header is damaged.</exception>
    public static NettraceHeader Read(int version, ReadOnlySpan<byte> bytes, StreamBounds bounds)
    {
        if (version is not (4 or 5))
        {
            throw new NettraceDamage($"version {version} of the format, which is not read");
        }

        return Of(
            version,
            bytes,
            BinaryPrimitives.ReadInt32LittleEndian(bytes[ProcessOffset..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[ProcessorsOffset..]),
            bounds);
    }

    /// <param name="bytes">The bytes with which all versions begin, up to the pointer size.</param>
    /// <param name="process">The process id; -1 if not reported.</param>
    /// <param name="processors">The number of processors; 0 if not reported.</param>
    /// <exception cref="NettraceDamage">The header is damaged.</exception>
    public static NettraceHeader Of(int version, ReadOnlySpan<byte> bytes, int process, int processors, StreamBounds bounds)
    {
        var frequency = BinaryPrimitives.ReadInt64LittleEndian(bytes[FrequencyOffset..]);
        if (frequency is < LowestFrequency or > HighestFrequency || (bounds.TicksPerSecond != 0 && frequency != bounds.TicksPerSecond))
        {
            throw new NettraceDamage($"its clock cannot have {frequency} ticks per second");
        }

        var pointerSize = BinaryPrimitives.ReadInt32LittleEndian(bytes[PointerSizeOffset..]);
        if (pointerSize is not (4 or 8) || (bounds.PointerSize != 0 && pointerSize != bounds.PointerSize))
        {
            throw new NettraceDamage($"pointers cannot have {pointerSize} bytes");
        }

        var clock = new TickClock(frequency);
        var sync = clock.Nanoseconds(BinaryPrimitives.ReadInt64LittleEndian(bytes[SyncOffset..]));
        return sync >= 0 && bounds.Holds(sync)
            ? new NettraceHeader(clock, sync, pointerSize)
            {
                Version = version,
                StartUtc = WallClock(bytes),
                ProcessId = process,
                Processors = Math.Clamp(processors, 1, MostProcessors),
                KnowsProcessors = processors > 0,
            }
            : throw new NettraceDamage("its session has an impossible start");
    }

    /// <summary>Reads a SYSTEMTIME: year, month, day of the week, day, hour, minute, second, millisecond.</summary>
    /// <returns>1970 if there is no such time: only a date on a page depends on it.</returns>
    private static DateTime WallClock(ReadOnlySpan<byte> bytes)
    {
        var part = MemoryMarshal.Cast<byte, ushort>(bytes[..SyncOffset]);
        try
        {
            return new DateTime(part[0], part[1], part[3], part[4], part[5], part[6], part[7], DateTimeKind.Utc);
        }
        catch (ArgumentOutOfRangeException)
        {
            return DateTime.UnixEpoch;
        }
    }

    /// <summary>Narrows the bounds: no event is older than its session.</summary>
    public StreamBounds Within(StreamBounds bounds) => bounds with { FromNs = Math.Max(bounds.FromNs, SyncNs) };
}
