using System.Buffers.Binary;
using System.Text;

namespace Poolscope.Decode.Stacks;

/// <summary>A part of a file, in bytes.</summary>
internal readonly record struct FileRange(ulong Offset, ulong Length);

/// <summary>Finds names of functions in the symbol tables of ELF files (.symtab, and .dynsym, which stripped libraries
/// keep). The path may hold another file by now, or the target may have seen another one there (in a container). So
/// files created or changed since the recording do not count, nor files without a segment of the mapped
/// extent.</summary>
/// <param name="unchangedSince">The time since which a file must be unchanged, UTC.</param>
internal sealed class ElfSymbols(DateTime unchangedSince)
{
    private const long LargestFile = 1L << 30;
    private const long LargestTable = 256L << 20;
    private const int HeaderBytes = 64;
    private const int SectionBytes = 64;
    private const int SegmentBytes = 56;
    private const int SymbolBytes = 24;
    private const uint SymbolTable = 2;
    private const uint DynamicSymbols = 11;
    private const uint Loaded = 1;
    private const int Function = 2;

    private readonly Dictionary<string, Image?> _images = [];

    /// <param name="path">Path of the file. Only regular 64-bit little-endian ELF files count.</param>
    /// <param name="mapped">The part of the file that the target mapped.</param>
    /// <param name="fileOffset">Offset of the code in the file.</param>
    /// <returns>The name; null if no symbol covers the offset.</returns>
    public string? Find(string path, FileRange mapped, ulong fileOffset)
    {
        if (!_images.TryGetValue(path, out var image))
        {
            _images.Add(path, image = TryRead(path));
        }

        return image?.Find(mapped, fileOffset);
    }

    private Image? TryRead(string path)
    {
        try
        {
            if (new FileInfo(path) is not { Exists: true, Length: > HeaderBytes and < LargestFile } info // pipes and devices have no length
                || info.CreationTimeUtc > unchangedSince || info.LastWriteTimeUtc > unchangedSince)
            {
                return null;
            }

            using var file = File.OpenRead(path);
            return Read(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or OverflowException)
        {
            return null; // a damaged, cut or malformed file has no names
        }
    }

    private static Image? Read(FileStream file)
    {
        var header = At(file, 0, HeaderBytes);
        if (!header.AsSpan(0, 6).SequenceEqual<byte>([0x7f, (byte)'E', (byte)'L', (byte)'F', 2, 1]))
        {
            return null;
        }

        var segments = new List<(ulong Offset, ulong Size, ulong Address)>();
        var table = At(file, Int64(header, 32), BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(56)) * SegmentBytes);
        for (var at = 0; at < table.Length; at += SegmentBytes)
        {
            if (BinaryPrimitives.ReadUInt32LittleEndian(table.AsSpan(at)) == Loaded)
            {
                segments.Add(((ulong)Int64(table, at + 8), (ulong)Int64(table, at + 32), (ulong)Int64(table, at + 16)));
            }
        }

        var symbols = new List<Symbol>();
        var sections = At(file, Int64(header, 40), BinaryPrimitives.ReadUInt16LittleEndian(header.AsSpan(60)) * SectionBytes);
        for (var at = 0; at < sections.Length; at += SectionBytes)
        {
            if (BinaryPrimitives.ReadUInt32LittleEndian(sections.AsSpan(at + 4)) is SymbolTable or DynamicSymbols)
            {
                var strings = checked((int)BinaryPrimitives.ReadUInt32LittleEndian(sections.AsSpan(at + 40))) * SectionBytes;
                Add(symbols, At(file, Int64(sections, at + 24), Int64(sections, at + 32)), At(file, Int64(sections, strings + 24), Int64(sections, strings + 32)));
            }
        }

        symbols.Sort((a, b) => a.Address != b.Address ? a.Address.CompareTo(b.Address) : string.CompareOrdinal(a.Name, b.Name));
        return new Image(segments, symbols);
    }

    private static void Add(List<Symbol> symbols, byte[] table, byte[] strings)
    {
        for (var at = 0; at + SymbolBytes <= table.Length; at += SymbolBytes)
        {
            var (address, size) = ((ulong)Int64(table, at + 8), (ulong)Int64(table, at + 16));
            if ((table[at + 4] & 0xf) == Function && address != 0 && size != 0)
            {
                var name = strings.AsSpan(checked((int)BinaryPrimitives.ReadUInt32LittleEndian(table.AsSpan(at))));
                var end = name.IndexOf((byte)0);
                symbols.Add(new Symbol(address, size, Encoding.UTF8.GetString(end < 0 ? name : name[..end])));
            }
        }
    }

    private static byte[] At(FileStream file, long offset, long length)
    {
        if (offset < 0 || length is < 0 or > LargestTable || offset > file.Length - length)
        {
            throw new IOException("a table outside of the file");
        }

        var bytes = new byte[length];
        file.Position = offset;
        file.ReadExactly(bytes);
        return bytes;
    }

    private static long Int64(byte[] bytes, int at) => BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(at));

    private readonly record struct Symbol(ulong Address, ulong Size, string Name);

    private sealed class Image(List<(ulong Offset, ulong Size, ulong Address)> segments, List<Symbol> symbols)
    {
        public string? Find(FileRange mapped, ulong fileOffset)
        {
            foreach (var segment in segments)
            {
                if (fileOffset - segment.Offset < segment.Size && Mapped(segment.Offset, segment.Size) == mapped)
                {
                    return Covering(fileOffset - segment.Offset + segment.Address);
                }
            }

            return null;
        }

        // The loader maps whole pages.
        private static FileRange Mapped(ulong offset, ulong size)
        {
            var page = (ulong)Environment.SystemPageSize - 1;
            return new FileRange(offset & ~page, ((offset + size + page) & ~page) - (offset & ~page));
        }

        private string? Covering(ulong address)
        {
            var (low, high) = (0, symbols.Count);
            while (low < high)
            {
                var middle = (low + high) / 2;
                (low, high) = symbols[middle].Address <= address ? (middle + 1, high) : (low, middle);
            }

            // Aliases share an address; only the last one is checked.
            return low > 0 && address - symbols[low - 1].Address < symbols[low - 1].Size ? symbols[low - 1].Name : null;
        }
    }
}
