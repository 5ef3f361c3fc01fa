using System.Buffers.Binary;

namespace Poolscope.Etl.Format;

/// <summary>The flags in a buffer's header.</summary>
[Flags]
public enum BufferFlags
{
    None = 0,

    /// <summary>Events were lost before this buffer, on its processor.</summary>
    EventsLost = 0x02,

    /// <summary>Whole buffers were lost before this one.</summary>
    BufferLost = 0x04,

    /// <summary>The processor number has two bytes instead of one.</summary>
    ProcessorIndex = 0x20,

    /// <summary>All bytes after the header are one LZ77 stream (<see cref="Xpress"/>).</summary>
    Compressed = 0x40,
}

/// <summary>The header of a buffer (WMI_BUFFER_HEADER). A file is a chain of buffers that starts at its first
/// byte.</summary>
/// <param name="StoredBytes">Bytes from this header to the next one.</param>
/// <param name="UsedBytes">Bytes of header and events, after decompression.</param>
/// <param name="Cpu">The processor that wrote the events.</param>
public readonly record struct BufferHeader(long StoredBytes, long UsedBytes, int Cpu, BufferFlags Flags)
{
    /// <summary>The length of the header, bytes.</summary>
    public const int Bytes = 72;

    private const int CpuOffset = 0x28;
    private const int UsedOffset = 0x30;
    private const int FlagsOffset = 0x34;

    public bool IsCompressed => (Flags & BufferFlags.Compressed) != 0;

    public bool LostBefore => (Flags & (BufferFlags.EventsLost | BufferFlags.BufferLost)) != 0;

    /// <param name="bytes">At least <see cref="Bytes"/> bytes.</param>
    public static BufferHeader Read(ReadOnlySpan<byte> bytes)
    {
        var flags = (BufferFlags)BinaryPrimitives.ReadUInt16LittleEndian(bytes[FlagsOffset..]);
        return new BufferHeader(
            BinaryPrimitives.ReadUInt32LittleEndian(bytes),
            BinaryPrimitives.ReadUInt32LittleEndian(bytes[UsedOffset..]),
            (flags & BufferFlags.ProcessorIndex) != 0 ? BinaryPrimitives.ReadUInt16LittleEndian(bytes[CpuOffset..]) : bytes[CpuOffset],
            flags);
    }
}
