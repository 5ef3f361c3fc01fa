using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Poolscope.Decode.Nettrace.Values;

namespace Poolscope.Decode.Nettrace.Files;

/// <summary>The header of a .nettrace file: its clock, and the machine.</summary>
/// <param name="Clock">Gives ticks their nanoseconds.</param>
/// <param name="SyncNs">When the session was started, by the runtime's own clock; CLOCK_MONOTONIC ns.</param>
/// <param name="PointerSize">Bytes.</param>
internal sealed record NettraceHeader(TickClock Clock, long SyncNs, int PointerSize)
{
    // Wall clock as eight u16, then ticks and frequency (i64 each), pointer size, process, processors, sampling (i32 each).
    private const int SyncOffset = 16;
    private const int FrequencyOffset = 24;
    private const int PointerSizeOffset = 32;
    private const int ProcessOffset = 36;
    private const int ProcessorsOffset = 40;
    private const int MostProcessors = 1 << 16;

    // Real clocks are within; a conversion to ns cannot overflow.
    private const long LowestFrequency = 1_000;
    private const long HighestFrequency = 100_000_000_000;

    /// <summary>The version of the format that holds several processes.</summary>
    public const int SeveralProcesses = 6;

    /// <summary>Of the format.</summary>
    public int Version { get; init; }

    /// <summary>When the session was started, by the wall clock, to a millisecond.</summary>
    public DateTime StartUtc { get; init; }

    /// <summary>As the process itself knows it; -1: not reported, as in files of several processes.</summary>
    public int ProcessId { get; init; }

    /// <summary>Of the machine, as the runtime counts them; at least 1.</summary>
    public int Processors { get; init; }

    /// <summary>False: <see cref="Processors"/> is no more than the least that there can be.</summary>
    public bool KnowsProcessors { get; init; }

    /// <exception cref="NettraceDamage">It cannot be true.</exception>
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

    /// <param name="bytes">Those that all versions begin with, up to the size of a pointer.</param>
    /// <param name="process">-1: not reported.</param>
    /// <param name="processors">0: not reported.</param>
    /// <exception cref="NettraceDamage">It cannot be true.</exception>
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

    /// <summary>SYSTEMTIME: year, month, day of the week, day, hour, minute, second, millisecond.</summary>
    /// <returns>1970 if there is no such time: nothing but a date on a page depends on it.</returns>
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

    /// <summary>No event is older than its session.</summary>
    public StreamBounds Within(StreamBounds bounds) => bounds with { FromNs = Math.Max(bounds.FromNs, SyncNs) };
}
