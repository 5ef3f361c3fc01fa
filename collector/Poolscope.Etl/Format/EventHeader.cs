using System.Buffers.Binary;

namespace Poolscope.Etl.Format;

/// <summary>The kind of an event's header.</summary>
public enum HeaderKind
{
    /// <summary>Says how long the event is, and nothing else that Poolscope reads: WPP messages, errors, instances
    /// without a GUID.</summary>
    Other,

    /// <summary>A kernel event with thread and process: SYSTEM_TRACE_HEADER, and its compact form.</summary>
    System,

    /// <summary>A kernel event without thread and process: PERFINFO_TRACE_HEADER.</summary>
    PerfInfo,

    /// <summary>An event of a class, with an opcode: EVENT_TRACE_HEADER.</summary>
    Classic,

    /// <summary>An event of a manifest or an EventSource: EVENT_HEADER.</summary>
    Manifest,
}

/// <summary>The fields of an event's header that a reader needs to walk the events of a buffer.</summary>
/// <param name="HeaderBytes">Length of the header.</param>
/// <param name="Bytes">Length of the event, header included.</param>
/// <param name="Ticks">Time stamp; null if this kind of header has none.</param>
/// <param name="PointerSize">Pointer size of the program that wrote the event: 4 or 8 bytes.</param>
internal readonly record struct EventHeader(HeaderKind Kind, int HeaderBytes, int Bytes, long? Ticks, int PointerSize)
{
    public const int Alignment = 8;

    private const int TypeOffset = 2;
    private const int MarkerOffset = 3;
    private const byte Marker = 0x80;
    private const byte MessageMarker = 0x90;
    private const int KernelSizeOffset = 4;
    private const int LateTime = 16;
    private const int EarlyTime = 8;

    /// <summary>Returns the time stamp of an event whose end may be missing, or null if it has none or is not an
    /// event.</summary>
    public static long? PeekTicks(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < EarlyTime + sizeof(long) || (bytes[MarkerOffset] & MessageMarker) != Marker)
        {
            return null;
        }

        return bytes[TypeOffset] switch
        {
            16 or 17 => BinaryPrimitives.ReadInt64LittleEndian(bytes[EarlyTime..]),
            (>= 1 and <= 4) or 10 or 11 or (>= 18 and <= 21) when bytes.Length >= LateTime + sizeof(long) => BinaryPrimitives.ReadInt64LittleEndian(bytes[LateTime..]),
            _ => null,
        };
    }

    /// <returns>Null if no event can begin here.</returns>
    public static EventHeader? Read(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < Alignment || (bytes[MarkerOffset] & Marker) == 0)
        {
            return null;
        }

        // A WPP message has a version in place of the flags, and no type.
        var type = bytes[TypeOffset];
        var pointer = type is 1 or 3 or 10 or 11 or 16 or 18 ? 4 : 8;
        return (bytes[MarkerOffset] & MessageMarker) == MessageMarker
            ? Of(HeaderKind.Other, bytes, 0, Alignment, -1, pointer)
            : type switch
            {
                1 or 2 => Of(HeaderKind.System, bytes, KernelSizeOffset, 32, LateTime, pointer),
                3 or 4 => Of(HeaderKind.System, bytes, KernelSizeOffset, 24, LateTime, pointer),
                16 or 17 => Of(HeaderKind.PerfInfo, bytes, KernelSizeOffset, 16, EarlyTime, pointer),
                10 or 20 => Of(HeaderKind.Classic, bytes, 0, 48, LateTime, pointer),
                11 or 21 => Of(HeaderKind.Other, bytes, 0, 56, LateTime, pointer),
                18 or 19 => Of(HeaderKind.Manifest, bytes, 0, 80, LateTime, pointer),
                13 or 14 or 15 => Of(HeaderKind.Other, bytes, 0, Alignment, -1, pointer),
                _ => null,
            };
    }

    private static EventHeader? Of(HeaderKind kind, ReadOnlySpan<byte> bytes, int sizeAt, int header, int timeAt, int pointer)
    {
        var size = BinaryPrimitives.ReadUInt16LittleEndian(bytes[sizeAt..]);
        return size < header || size > bytes.Length
            ? null
            : new EventHeader(kind, header, size, timeAt < 0 ? null : BinaryPrimitives.ReadInt64LittleEndian(bytes[timeAt..]), pointer);
    }
}
