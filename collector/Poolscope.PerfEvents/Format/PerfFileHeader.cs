using System.Buffers.Binary;

namespace Poolscope.PerfEvents.Format;

/// <summary>A range of a file, in bytes.</summary>
internal readonly record struct FileSection(long Offset, long Size)
{
    internal long End => Offset + Size;
}

/// <summary>The first 104 bytes of a seekable perf.data file (struct perf_file_header, tools/perf/util/header.h).
/// Until the recorder stops, data size and features are zero.</summary>
internal readonly record struct PerfFileHeader(long AttrSize, FileSection Attrs, FileSection Data, ulong Features)
{
    internal const int Bytes = 104;

    /// <summary>The size of an entry in the attribute section: the attribute and the position of its ids.</summary>
    internal const int AttrEntryBytes = PerfEventAttr.Bytes + 16;

    private static ReadOnlySpan<byte> Magic => "PERFILE2"u8;

    internal void Write(Span<byte> target)
    {
        target[..Bytes].Clear();
        Magic.CopyTo(target);
        Put(target, 8, Bytes);
        Put(target, 16, AttrSize);
        Put(target, 24, Attrs.Offset);
        Put(target, 32, Attrs.Size);
        Put(target, 40, Data.Offset);
        Put(target, 48, Data.Size);
        BinaryPrimitives.WriteUInt64LittleEndian(target[72..], Features);
    }

    /// <returns>False if this is not a seekable perf.data header (another file, or the first bytes never reached the
    /// disk).</returns>
    internal static bool TryRead(ReadOnlySpan<byte> source, out PerfFileHeader header)
    {
        header = default;
        if (source.Length < Bytes || !source.StartsWith(Magic) || Get(source, 8) != Bytes)
        {
            return false;
        }

        header = new PerfFileHeader(
            Get(source, 16),
            new FileSection(Get(source, 24), Get(source, 32)),
            new FileSection(Get(source, 40), Get(source, 48)),
            BinaryPrimitives.ReadUInt64LittleEndian(source[72..]));
        return true;
    }

    private static void Put(Span<byte> target, int at, long value) => BinaryPrimitives.WriteInt64LittleEndian(target[at..], value);

    private static long Get(ReadOnlySpan<byte> source, int at) => BinaryPrimitives.ReadInt64LittleEndian(source[at..]);
}
