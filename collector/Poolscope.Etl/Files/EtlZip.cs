using System.IO.Compression;

namespace Poolscope.Etl.Files;

/// <summary>Unpacks the recording from a zip. PerfView adds symbol files, which Poolscope does not read.</summary>
internal static class EtlZip
{
    private const string Extension = ".etl";
    private const string Attributes = "._"; // prefix of the attribute files that macOS adds
    private const int MostParts = 16;
    private const int CopyBytes = 1 << 17;

    // The unused end of a buffer repeats one value, so a file with few events compresses to a hundredth.
    private const long FixedBytes = 1L << 30;
    private const long BytesPerPacked = 100;

    /// <summary>Returns whether a file begins like a zip. Its extension proves nothing: people rename files.</summary>
    /// <exception cref="IOException">The file cannot be opened.</exception>
    public static bool IsZip(string path)
    {
        using var file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.Read);
        Span<byte> head = stackalloc byte[2];
        return RandomAccess.Read(file, head, 0) == head.Length && head.SequenceEqual("PK"u8);
    }

    /// <summary>Unpacks the recording into a folder.</summary>
    /// <returns>The unpacked files. The one that the others are named after comes first.</returns>
    /// <exception cref="InvalidDataException">The zip is damaged, contains no .etl file or several recordings, or
    /// unpacks to more bytes than a recording can have.</exception>
    public static List<EtlPart> Unpack(string zip, string folder)
    {
        var name = Path.GetFileName(zip);
        using var archive = OpenZip(zip, name);
        var entries = Entries(archive, name);
        var main = entries.MinBy(entry => entry.Name.Length) ?? throw new InvalidDataException($"{name} cannot be read: it holds no .etl");
        var parts = entries.Where(entry => EtlFiles.IsPart(entry.Name, main.Name)).Take(MostParts).ToList();
        if (entries.Except(parts).FirstOrDefault(entry => entry != main) is { } other)
        {
            throw new InvalidDataException($"{name} holds several recordings: unpack it, and name one of them, {main.Name} or {other.Name}");
        }

        var room = FixedBytes + (BytesPerPacked * new FileInfo(zip).Length);
        var files = new List<EtlPart>();
        foreach (var entry in parts.Prepend(main))
        {
            var path = Path.Combine(folder, $"{files.Count}{Extension}");
            room -= Copy(entry, path, room, name);
            files.Add(new EtlPart(path, $"{name}: {entry.Name}"));
        }

        return files;
    }

    private static ZipArchive OpenZip(string zip, string name)
    {
        try
        {
            return ZipFile.OpenRead(zip);
        }
        catch (InvalidDataException e)
        {
            throw new InvalidDataException($"{name} cannot be read: it is not a zip file, or it is damaged", e);
        }
    }

    /// <summary>Returns the entries named like a recording, sorted by name.</summary>
    private static List<ZipArchiveEntry> Entries(ZipArchive archive, string name)
    {
        try
        {
            return
            [
                .. archive.Entries
                    .Where(static entry => entry.Name.EndsWith(Extension, StringComparison.OrdinalIgnoreCase) && !entry.Name.StartsWith(Attributes, StringComparison.Ordinal))
                    .DistinctBy(entry => entry.Name, StringComparer.OrdinalIgnoreCase)
                    .OrderBy(entry => entry.Name, StringComparer.Ordinal),
            ];
        }
        catch (Exception e) when (e is InvalidDataException or ArgumentException or NotSupportedException or OverflowException)
        {
            throw new InvalidDataException($"{name} cannot be read: its directory is damaged", e);
        }
    }

    /// <summary>Copies an entry and returns its length. It counts the bytes, because an entry can be longer than it
    /// says.</summary>
    private static long Copy(ZipArchiveEntry entry, string path, long room, string name)
    {
        try
        {
            using var from = entry.Open();
            using var to = File.Create(path);
            var bytes = new byte[CopyBytes];
            for (var copied = 0L; ;)
            {
                var read = from.Read(bytes);
                if (read == 0)
                {
                    return copied;
                }

                copied += read;
                if (copied > room)
                {
                    throw new InvalidDataException($"it unpacks to more than {BytesPerPacked} times its size");
                }

                to.Write(bytes.AsSpan(0, read));
            }
        }
        catch (Exception e) when (e is InvalidDataException or NotSupportedException or ArgumentException)
        {
            throw new InvalidDataException($"{name} cannot be read: {e.Message}", e);
        }
    }
}
