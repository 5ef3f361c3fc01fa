using System.Buffers.Binary;

namespace Poolscope.Look.Memory.Opening;

/// <summary>Reads the build id of a 64-bit ELF file: the linker's hash, which identifies one build.</summary>
internal static class ElfBuildId
{
    private const int HeaderSize = 64;
    private const int EntrySize = 56;
    private const int NoteHeader = 12;
    private const uint NoteSegment = 4; // PT_NOTE
    private const uint GnuBuildId = 3; // NT_GNU_BUILD_ID
    private const int LargestNotes = 1 << 16;

    /// <returns>Empty if there is no such file, or it has no build id.</returns>
    public static byte[] Of(string file)
    {
        try
        {
            using var stream = File.OpenRead(file);
            var header = Read(stream, 0, HeaderSize);
            if (header.Length < HeaderSize || !header.AsSpan(0, 5).SequenceEqual("\u007fELF\u0002"u8))
            {
                return [];
            }

            var table = BinaryPrimitives.ReadInt64LittleEndian(header.AsSpan(32));
            var count = BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(56));
            for (var i = 0; i < count; i++)
            {
                var entry = Read(stream, table + (i * EntrySize), EntrySize);
                if (entry.Length == EntrySize && BinaryPrimitives.ReadUInt32LittleEndian(entry) == NoteSegment)
                {
                    var size = (int)Math.Clamp(BinaryPrimitives.ReadInt64LittleEndian(entry.AsSpan(32)), 0, LargestNotes);
                    if (InNotes(Read(stream, BinaryPrimitives.ReadInt64LittleEndian(entry.AsSpan(8)), size)) is { Length: > 0 } found)
                    {
                        return found;
                    }
                }
            }

            return [];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return [];
        }
    }

    private static byte[] InNotes(byte[] notes)
    {
        for (var at = 0; at + NoteHeader <= notes.Length;)
        {
            var name = BinaryPrimitives.ReadUInt32LittleEndian(notes.AsSpan(at));
            var size = BinaryPrimitives.ReadUInt32LittleEndian(notes.AsSpan(at + 4));
            var type = BinaryPrimitives.ReadUInt32LittleEndian(notes.AsSpan(at + 8));
            var from = at + NoteHeader + Aligned(name);
            if (from + Aligned(size) > notes.Length)
            {
                return [];
            }

            if (type == GnuBuildId)
            {
                return notes[(int)from..(int)(from + size)];
            }

            at = (int)(from + Aligned(size));
        }

        return [];
    }

    private static long Aligned(uint size) => (size + 3L) & ~3L;

    private static byte[] Read(FileStream stream, long offset, int size)
    {
        var bytes = new byte[size];
        stream.Position = offset;
        var read = stream.ReadAtLeast(bytes, size, throwOnEndOfStream: false);
        return bytes[..read];
    }
}
